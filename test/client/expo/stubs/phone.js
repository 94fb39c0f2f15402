// What a test knows and decides of the phone. A test that starts an app puts its own here before the library is loaded.
export const phone = Object.assign(
  {
    os: 'android',
    token: 'android-1',
    folder: undefined,
    groups: [],
    granted: true,
    /** The response that started the app. */
    first: null,
    asked: 0,
    channels: [],
    handler: null,
    listeners: {},
    /** Tells the listeners of an event. */
    tell(event, said) {
      for (const listener of this.listeners[event] ?? []) listener(said)
    },
    listen(event, listener) {
      ;(this.listeners[event] ??= []).push(listener)
      return { remove: () => undefined }
    },
  },
  globalThis.bellhopPhone,
)

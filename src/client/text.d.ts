// Imported as text, and compiled in the app.
declare module '*/client.js' {
  const text: string
  export default text
}
declare module '*/core.js' {
  const text: string
  export default text
}
declare module '*/keeper.js' {
  const text: string
  export default text
}
declare module '*/app.plugin.js' {
  const text: string
  export default text
}
declare module '*/extension.js' {
  const text: string
  export default text
}
declare module '*/payload.js' {
  const text: string
  export default text
}
declare module '*/withdrawal.js' {
  const text: string
  export default text
}
declare module '*/worker.js' {
  const text: string
  export default text
}
declare module '*.kt' {
  const text: string
  export default text
}
declare module '*.kts' {
  const text: string
  export default text
}
declare module '*.swift' {
  const text: string
  export default text
}
declare module '*.txt' {
  const text: string
  export default text
}
declare module '*.ex' {
  const text: string
  export default text
}
declare module '*.go' {
  const text: string
  export default text
}
declare module '*.php' {
  const text: string
  export default text
}
declare module '*.py' {
  const text: string
  export default text
}
declare module '*.rb' {
  const text: string
  export default text
}
declare module '*.dart' {
  const text: string
  export default text
}

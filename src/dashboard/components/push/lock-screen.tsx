/** What a lock screen shows of a push. */
export interface Shown {
  readonly application: string
  readonly title: string
  readonly subtitle?: string
  readonly msg: string
  /** Whether a picture comes with it. It is never loaded here: its sender would see who looks. */
  readonly hasImage?: boolean
  readonly badge?: number | null
}

interface Props {
  readonly platform: 'ios' | 'android'
  readonly scheme: 'light' | 'dark'
  /** `null`: nothing has arrived. */
  readonly shown: Shown | null
  readonly label?: string
}

const NAMES = { ios: 'iOS', android: 'Android' }

/** About how it looks on a phone: systems and their versions differ. */
export function LockScreen({ platform, scheme, shown, label }: Props) {
  const name = label ?? `${NAMES[platform]}, ${scheme}`
  return (
    <figure class={`phone ${platform} ${scheme}${shown === null ? '' : ' lit'}`}>
      <div class="screen">
        <p class="clock" aria-hidden="true">
          9:41
        </p>
        {shown !== null && <Notification platform={platform} shown={shown} />}
      </div>
      <figcaption>{name}</figcaption>
    </figure>
  )
}

/** As it lies on the screen. */
export function Notification({ platform, shown }: Pick<Props, 'platform'> & { readonly shown: Shown }) {
  const { application, title, subtitle = '', msg, hasImage = false, badge = null } = shown
  return (
    <div class="notification">
      <span class="icon" aria-hidden="true">
        {Array.from(application)[0]?.toUpperCase()}
        {badge !== null && badge > 0 && <b>{badge}</b>}
      </span>
      <div class="words" dir="auto">
        <p class="from">
          <bdi>{application}</bdi>
          <span>now</span>
        </p>
        {title !== '' && <p class="title">{title}</p>}
        {platform === 'ios' && subtitle !== '' && <p class="title">{subtitle}</p>}
        <p class="text">{msg === '' ? '…' : msg}</p>
      </div>
      {hasImage && <span class="picture">picture</span>}
    </div>
  )
}

/** The four that a push may meet. */
export function LockScreens({ shown }: { readonly shown: Shown }) {
  return (
    <div class="phones" role="group" aria-label="About how it looks">
      <LockScreen platform="ios" scheme="light" shown={shown} />
      <LockScreen platform="ios" scheme="dark" shown={shown} />
      <LockScreen platform="android" scheme="light" shown={shown} />
      <LockScreen platform="android" scheme="dark" shown={shown} />
    </div>
  )
}

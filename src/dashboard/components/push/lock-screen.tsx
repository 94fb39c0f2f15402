export interface Shown {
  readonly application: string
  readonly title: string
  readonly subtitle?: string
  readonly msg: string
  /** Never loaded here: its host would learn who looks. */
  readonly hasImage?: boolean
  readonly badge?: number | null
}

type ShownOn = 'ios' | 'android' | 'web'

interface Props {
  readonly platform: ShownOn
  readonly scheme: 'light' | 'dark'
  /** `null`: nothing has arrived. */
  readonly shown: Shown | null
  readonly label?: string
}

const NAMES = { ios: 'iOS', android: 'Android', web: 'Browser' }

/** An approximation: system versions differ. */
export function LockScreen({ platform, scheme, shown, label }: Props) {
  const name = label ?? `${NAMES[platform]}, ${scheme}`
  return (
    <figure class={`phone ${platform} ${scheme}${shown === null ? '' : ' lit'}`}>
      <div class="screen">
        {platform !== 'web' && <Clock />}
        {shown !== null && <Notification platform={platform} shown={shown} />}
      </div>
      <figcaption>{name}</figcaption>
    </figure>
  )
}

export function Clock() {
  return (
    <p class="clock" aria-hidden="true">
      9:41
    </p>
  )
}

export function Notification({ platform, shown }: Pick<Props, 'platform'> & { readonly shown: Shown }) {
  if (platform === 'web') return <BrowserNotification shown={shown} />
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

/** Browsers name the site instead of the application. Without a title the message becomes the title. */
function BrowserNotification({ shown: { title, msg, hasImage = false } }: { readonly shown: Shown }) {
  const text = title === '' ? '' : msg
  return (
    <div class="notification">
      <div class="words" dir="auto">
        <p class="title">{title === '' ? msg || '…' : title}</p>
        {text !== '' && <p class="text">{text}</p>}
        <p class="from">your.site</p>
        {hasImage && <span class="picture">picture</span>}
      </div>
    </div>
  )
}

export function LockScreens({ shown }: { readonly shown: Shown }) {
  return (
    <div class="phones" role="group" aria-label="About how it looks">
      {(['ios', 'android', 'web'] as const).flatMap((platform) =>
        (['light', 'dark'] as const).map((scheme) => (
          <LockScreen key={`${platform} ${scheme}`} platform={platform} scheme={scheme} shown={shown} />
        )),
      )}
    </div>
  )
}

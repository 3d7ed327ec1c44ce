// Pictures of people and orgs. Screen readers skip them, because the name is beside them.
import type { Org } from '@svc/contract'
import { withoutTrailingSlashes } from '@svc/contract/client'
import { config } from '../config.ts'
import styles from './avatar.module.css'

type Size = 20 | 28 | 40 | 64

export function PersonAvatar({ login, size = 28 }: { login: string; size?: Size }) {
  const src = `/avatars/${encodeURIComponent(login.toLowerCase())}.svg`
  const className = `${styles.avatar} ${styles.person}`
  return <img src={src} alt="" width={size} height={size} loading="lazy" className={className} />
}

const tones = 6

/** Chooses a colour by the name. */
function toneOf(name: string): number {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % 9973
  return sum % tones
}

interface OrgAvatarProps {
  org: Pick<Org, 'name'> & Partial<Pick<Org, 'icon_url'>>
  size?: Size
  /** Shown in place of the stored icon. */
  preview?: string | undefined
}

export function OrgAvatar({ org, size = 28, preview }: OrgAvatarProps) {
  const src = preview ?? (org.icon_url ? withoutTrailingSlashes(config().api_url) + org.icon_url : undefined)
  if (src) return <img src={src} alt="" width={size} height={size} className={styles.avatar} />
  return (
    <span className={styles.letter} data-size={size} data-tone={toneOf(org.name)} aria-hidden="true">
      {org.name.charAt(0).toUpperCase()}
    </span>
  )
}

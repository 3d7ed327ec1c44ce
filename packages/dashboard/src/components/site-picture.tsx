// A picture of a site: a frame of its permanent URL, scaled down. It is decoration, so it takes neither focus nor clicks.
import { Icon } from './icon.tsx'
import styles from './site-picture.module.css'

interface SitePictureProps {
  /** The permanent URL of the deployment. */
  url: string
  /** False for a site that asks for a password, and for an app that sleeps: a frame would wake it. */
  mayFrame: boolean
}

export function SitePicture({ url, mayFrame }: SitePictureProps) {
  return (
    <div className={styles.picture} aria-hidden="true" inert>
      {mayFrame ? (
        // Without allow-same-origin, scripts of the site run in an origin of their own: no cookies, no storage, no pop-ups.
        <iframe
          src={url}
          title="Picture of the site"
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          loading="lazy"
          tabIndex={-1}
          className={styles.frame}
        />
      ) : (
        <span className={styles.none}>
          <Icon name="lock" size={20} />
        </span>
      )}
    </div>
  )
}

// A picture of a site: one that the server made, else a frame of the permanent URL, scaled down. It is decoration, so it takes
// neither focus nor clicks.
import { useEffect, useState } from 'react'
import { readPicture } from '../api.ts'
import { Icon } from './icon.tsx'
import styles from './site-picture.module.css'

interface SitePictureProps {
  project: string
  /** The permanent URL of the deployment. */
  url: string
  /** The version of the picture that the server made, if there is one. */
  picture: string | null | undefined
  /** False for a site that asks for a password, and for an app that sleeps: a frame would wake it. */
  mayFrame: boolean
}

export function SitePicture({ project, url, picture, mayFrame }: SitePictureProps) {
  const made = useMadePicture(project, picture ?? null)
  return (
    <div className={styles.picture} aria-hidden="true" inert>
      {made.state === 'ready' && <img src={made.src} alt="" className={styles.made} />}
      {made.state === 'none' && (mayFrame ? <Frame url={url} /> : <Locked />)}
    </div>
  )
}

function Frame({ url }: { url: string }) {
  return (
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
  )
}

const Locked = () => (
  <span className={styles.none}>
    <Icon name="lock" size={20} />
  </span>
)

type Made = { state: 'none' } | { state: 'loading' } | { state: 'ready'; src: string }

/** The API wants the token in a header, so an image cannot name its URL. */
function useMadePicture(project: string, version: string | null): Made {
  const [made, setMade] = useState<Made>({ state: version === null ? 'none' : 'loading' })
  useEffect(() => {
    if (version === null) {
      setMade({ state: 'none' })
      return
    }
    let src: string | undefined
    let isGone = false
    readPicture(project).then(
      image => {
        if (isGone) return
        src = URL.createObjectURL(image)
        setMade({ state: 'ready', src })
      },
      // The picture may have been removed meanwhile.
      () => setMade({ state: 'none' }),
    )
    return () => {
      isGone = true
      if (src !== undefined) URL.revokeObjectURL(src)
    }
  }, [project, version])
  return made
}

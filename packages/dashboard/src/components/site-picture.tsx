// A picture of a site that the server made, else the first letter of the project. It is decoration, so it takes neither focus nor
// clicks. It is never a frame of the site: that would count as requests and bandwidth of the project, and wake a sleeping app.
import { useEffect, useState } from 'react'
import { readPicture } from '../api.ts'
import styles from './site-picture.module.css'

interface SitePictureProps {
  project: string
  /** The version of the picture that the server made, if there is one. */
  picture: string | null | undefined
}

export function SitePicture({ project, picture }: SitePictureProps) {
  const made = useMadePicture(project, picture ?? null)
  return (
    <div className={styles.picture} aria-hidden="true">
      {made.state === 'ready' && <img src={made.src} alt="" />}
      {made.state === 'none' && project.charAt(0).toUpperCase()}
    </div>
  )
}

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

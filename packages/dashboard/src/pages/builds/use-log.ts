// The log of a build as it grows.
import { useEffect, useRef, useState } from 'react'
import { lookEveryMs, readLog } from './builds.ts'

/** What is new is read once a second while the build runs. */
export function useLog(project: string, id: string, underWay: boolean): { text: string; error: unknown } {
  const [text, setText] = useState('')
  const [error, setError] = useState<unknown>()
  const end = useRef(0)
  useEffect(() => {
    let stopped = false
    let timer: ReturnType<typeof setTimeout> | undefined
    async function look() {
      try {
        const news = await readLog(project, id, end.current)
        if (stopped) return
        end.current = news.end
        if (news.text !== '') setText(shown => shown + news.text)
        setError(undefined)
      } catch (failure) {
        setError(failure)
      }
      if (underWay && !stopped) timer = setTimeout(look, lookEveryMs)
    }
    void look()
    return () => {
      stopped = true
      clearTimeout(timer)
    }
  }, [project, id, underWay])
  return { text, error }
}

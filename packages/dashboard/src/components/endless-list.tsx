// Loads the next page of a list when the reader scrolls to its end. The button works in browsers without an observer.
import { useEffect, useRef } from 'react'
import type { Page } from '../paged-list.ts'
import { type Growing, LoadMore, useMore } from './more-button.tsx'

/** Loading starts this far before the end, so that the next rows are there in time. */
const ahead = '400px'

export function EndlessList<Row>({ list, shown }: { list: Growing<Row>; shown: Page<Row> }) {
  const end = useRef<HTMLDivElement>(null)
  const more = useMore(list, shown)
  const load = useRef(more.load)
  load.current = more.load
  const cursor = shown.next_cursor
  // An observer reports the end once, as soon as it is in view. So it starts anew after each page, when loading is over. A page
  // that could not be loaded waits for the button.
  const isWaiting = Boolean(cursor) && !more.busy && !more.failed
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next cursor needs another observer.
  useEffect(() => {
    const element = end.current
    if (!element || !isWaiting) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load.current(), {
      rootMargin: ahead,
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [cursor, isWaiting])
  return <div ref={end}>{cursor && <LoadMore more={more} />}</div>
}

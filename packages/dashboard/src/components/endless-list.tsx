// Loads the next page of a list when the reader scrolls to its end. The button works in browsers without an observer.
import { useEffect, useRef } from 'react'
import type { Page, PagedList } from '../paged-list.ts'
import { MoreButton } from './more-button.tsx'

/** Loading starts this far before the end, so that the next rows are there in time. */
const ahead = '400px'

export function EndlessList<Row>({ list, shown }: { list: PagedList<Row>; shown: Page<Row> }) {
  const end = useRef<HTMLDivElement>(null)
  const cursor = shown.next_cursor
  useEffect(() => {
    const element = end.current
    if (!element || !cursor) return
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && element.querySelector('button')?.click(),
      { rootMargin: ahead },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [cursor])
  return (
    <div ref={end}>
      <MoreButton list={list} shown={shown} />
    </div>
  )
}

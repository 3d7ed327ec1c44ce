// A search that asks the server: it begins when the reader stops typing.
import { useEffect, useRef, useState } from 'react'
import { SearchField } from './search-field.tsx'

const searchAfterMs = 200

interface SettledSearchProps {
  label: string
  value: string
  onChange: (text: string) => void
  /** The key that leads here. */
  shortcut?: string
}

export function SettledSearch({ value, onChange, ...field }: SettledSearchProps) {
  const [typed, setTyped] = useState(value)
  const search = useRef(onChange)
  search.current = onChange
  const wanted = typed.trim()
  useEffect(() => {
    if (wanted === value) return
    const timer = setTimeout(() => search.current(wanted), searchAfterMs)
    return () => clearTimeout(timer)
  }, [wanted, value])
  return <SearchField {...field} value={typed} onChange={setTyped} />
}

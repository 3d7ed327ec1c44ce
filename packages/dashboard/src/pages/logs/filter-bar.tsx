// What the filters of both logs share. Filters are kept in the page's URL, so that a filtered log can be passed on.
import type { Deployment } from '@svc/contract'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { RowSelect } from '../../components/select.tsx'
import { formatDay } from '../../format.ts'
import styles from './filter-bar.module.css'
import { clockTime, type Line } from './lines.ts'
import { localOf, type TimeRange, timeRanges, utcOf } from './time-ranges.ts'

/** Reads a filter from the URL. Changing one replaces the URL, and an empty value removes it. */
export function useFilters() {
  const [params, setParams] = useSearchParams()
  return {
    get: (name: string): string => params.get(name) ?? '',
    set: (name: string, value: string) =>
      setParams(
        before => {
          const after = new URLSearchParams(before)
          if (value === '') after.delete(name)
          else after.set(name, value)
          return after
        },
        { replace: true },
      ),
    clear: () => setParams({}, { replace: true }),
    isEmpty: params.size === 0,
  }
}

export type Filters = ReturnType<typeof useFilters>

export function FilterBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <search className={styles.bar} aria-label={label}>
      {children}
    </search>
  )
}

const typingMs = 300

interface TextFilterProps {
  filters: Filters
  name: string
  label: string
  placeholder: string
}

/** A text that is used as a filter as soon as the reader stops typing. */
export function TextFilter({ filters, name, label, placeholder }: TextFilterProps) {
  const value = filters.get(name)
  const [typed, setTyped] = useState(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing changes the filter
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => filters.set(name, typed), typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  useEffect(() => setTyped(value), [value])
  return (
    <input
      type="search"
      className={styles.text}
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      maxLength={200}
      onChange={event => setTyped(event.target.value)}
    />
  )
}

interface ChoiceFilterProps {
  filters: Filters
  name: string
  label: string
  options: readonly { value: string; title: string }[]
}

export function ChoiceFilter({ filters, name, label, options }: ChoiceFilterProps) {
  const value = filters.get(name)
  // A URL may name a choice that is not offered, such as an old deployment.
  const all = options.some(option => option.value === value) ? options : [...options, { value, title: value }]
  return <RowSelect label={label} value={value} options={all} onChoose={value => filters.set(name, value)} />
}

interface DeploymentFilterProps {
  filters: Filters
  deployments: readonly Deployment[]
}

export function DeploymentFilter({ filters, deployments }: DeploymentFilterProps) {
  return (
    <ChoiceFilter
      filters={filters}
      name="deployment"
      label="Deployment"
      options={[{ value: '', title: 'All deployments' }, ...deployments.map(choiceOf)]}
    />
  )
}

const choiceOf = ({ id, status, created_at, git_branch }: Deployment) => ({
  value: id,
  title: `${id} (${status === 'live' ? 'live' : (git_branch ?? formatDay(created_at))})`,
})

/** Offers the instances of the app whose lines have been shown, the newest first. */
export function InstanceFilter({ filters, lines }: { filters: Filters; lines: readonly Line[] }) {
  const known = useRef(new Map<string, string>())
  for (const { instance, stamp } of lines)
    if (!known.current.has(instance)) known.current.set(instance, stamp)
  const chosen = filters.get('instance')
  // One instance leaves nothing to choose.
  if (known.current.size < 2 && chosen === '') return null
  const options = [...known.current].map(([value, stamp]) => ({
    value,
    title: `${value} (${clockTime(stamp).slice(0, 5)})`,
  }))
  return (
    <ChoiceFilter
      filters={filters}
      name="instance"
      label="Instance"
      options={[{ value: '', title: 'All instances' }, ...options.reverse()]}
    />
  )
}

export const rangeIn = (filters: Filters): TimeRange => ({
  range: filters.get('range'),
  from: filters.get('from'),
  to: filters.get('to'),
})

export function RangeFilter({ filters, kept }: { filters: Filters; kept: string }) {
  return (
    <>
      <ChoiceFilter filters={filters} name="range" label="Time range" options={timeRanges(kept)} />
      {filters.get('range') === 'custom' && (
        <>
          <MomentFilter filters={filters} name="from" label="From" />
          <MomentFilter filters={filters} name="to" label="To" />
        </>
      )}
    </>
  )
}

interface MomentFilterProps {
  filters: Filters
  name: 'from' | 'to'
  label: string
}

function MomentFilter({ filters, name, label }: MomentFilterProps) {
  return (
    <input
      type="datetime-local"
      className={styles.moment}
      aria-label={label}
      title={label}
      defaultValue={localOf(filters.get(name))}
      onChange={event => filters.set(name, utcOf(event.target.value))}
    />
  )
}

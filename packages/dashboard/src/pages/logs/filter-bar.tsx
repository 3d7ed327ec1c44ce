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

/** Offers the branches whose previews have a server app. */
export function BranchFilter({ filters, deployments }: DeploymentFilterProps) {
  const previews = deployments.filter(({ kind, status }) => kind === 'server' && status === 'branch')
  const branches = [...new Set(previews.flatMap(({ git_branch }) => git_branch ?? []))]
  if (branches.length === 0 && filters.get('branch') === '') return null
  const options = branches.map(branch => ({ value: branch, title: `Preview of ${branch}` }))
  return (
    <ChoiceFilter
      filters={filters}
      name="branch"
      label="Branch"
      options={[{ value: '', title: 'Production' }, ...options]}
    />
  )
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

interface SeenFilterProps {
  filters: Filters
  name: string
  label: string
  /** The title of the choice that filters nothing. */
  all: string
  /** The values in the rows that are shown now, each with its title. */
  seen: readonly (readonly [value: string, title: string])[]
}

/** Offers the values that have been shown, the newest first. */
function SeenFilter({ filters, name, label, all, seen }: SeenFilterProps) {
  const known = useRef(new Map<string, string>())
  for (const [value, title] of seen)
    if (!known.current.has(value) && known.current.size < choicesAtMost) known.current.set(value, title)
  // One value leaves nothing to choose.
  if (known.current.size < 2 && filters.get(name) === '') return null
  const options = [...known.current].map(([value, title]) => ({ value, title })).reverse()
  return <ChoiceFilter {...{ filters, name, label }} options={[{ value: '', title: all }, ...options]} />
}

/** A client may send any port and any preview's name as its host. */
const choicesAtMost = 50

/** Offers the instances of the app whose lines have been shown. */
export function InstanceFilter({ filters, lines }: { filters: Filters; lines: readonly Line[] }) {
  const seen = lines.map(
    ({ instance, stamp }) => [instance, `${instance} (${clockTime(stamp).slice(0, 5)})`] as const,
  )
  return <SeenFilter {...{ filters, seen }} name="instance" label="Instance" all="All instances" />
}

/** Offers the hosts of the requests that have been shown. */
export function HostFilter({
  filters,
  requests,
}: {
  filters: Filters
  requests: readonly { host: string }[]
}) {
  const seen = requests.map(({ host }) => [host, host] as const)
  return <SeenFilter {...{ filters, seen }} name="host" label="Host" all="Every host" />
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
      data-tip={label}
      defaultValue={localOf(filters.get(name))}
      onChange={event => filters.set(name, utcOf(event.target.value))}
    />
  )
}

// What depends on an answer of the API: grey rows until it is there, or why it did not come.
import type { ReactNode } from 'react'
import type { Resource } from '../resource.ts'
import { SkeletonRows } from './skeleton.tsx'
import { LoadFailure } from './trouble.tsx'

interface LoadedProps<T> {
  resource: Resource<T>
  /** How many rows stand in for it. */
  rows: number
  /** Told to screen readers meanwhile. */
  label: string
  children: (data: T) => ReactNode
}

export function Loaded<T>({ resource, rows, label, children }: LoadedProps<T>) {
  const { data, error, loading, refresh } = resource
  if (data !== undefined) return children(data)
  if (error === undefined) return <SkeletonRows count={rows} label={label} />
  return <LoadFailure error={error} retry={() => void refresh()} busy={loading} />
}

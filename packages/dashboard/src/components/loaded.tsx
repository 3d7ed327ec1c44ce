// Shows data of the API: grey rows until it has loaded, or the error if loading failed.
import type { ReactNode } from 'react'
import { codeOf } from '../api.ts'
import type { Resource } from '../resource.ts'
import { SkeletonRows } from './skeleton.tsx'
import { LoadFailure } from './trouble.tsx'

interface LoadedProps<T> {
  resource: Resource<T>
  /** The number of grey rows. */
  rows: number
  /** Screen readers announce this text while the data loads. */
  label: string
  /** Shown if the API knows no such thing. */
  missing?: ReactNode
  children: (data: T) => ReactNode
}

export function Loaded<T>({ resource, rows, label, missing, children }: LoadedProps<T>) {
  const { data, error, loading, refresh } = resource
  if (data !== undefined) return children(data)
  if (error === undefined) return <SkeletonRows count={rows} label={label} />
  if (missing && codeOf(error) === 'not_found') return missing
  return <LoadFailure error={error} retry={() => void refresh()} busy={loading} />
}

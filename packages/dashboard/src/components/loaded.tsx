// Shows data of the API: grey rows until it has loaded, or the error if loading failed.
import type { ReactNode } from 'react'
import type { Resource } from '../resource.ts'
import { SkeletonRows } from './skeleton.tsx'
import { LoadFailure } from './trouble.tsx'

interface LoadedProps<T> {
  resource: Resource<T>
  /** The number of grey rows. */
  rows: number
  /** Screen readers announce this text while the data loads. */
  label: string
  children: (data: T) => ReactNode
}

export function Loaded<T>({ resource, rows, label, children }: LoadedProps<T>) {
  const { data, error, loading, refresh } = resource
  if (data !== undefined) return children(data)
  if (error === undefined) return <SkeletonRows count={rows} label={label} />
  return <LoadFailure error={error} retry={() => void refresh()} busy={loading} />
}

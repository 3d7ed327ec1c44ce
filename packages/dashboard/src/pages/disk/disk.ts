// The disk of a project as the dashboard shows it, and the calls that change it.
import type { Answer, Disk, DiskSnapshot, EndpointTable } from '@svc/contract'
import { call, saveFile } from '../../api.ts'
import { usePolling } from '../../changes.ts'
import { type Resource, useResource } from '../../resource.ts'

type DiskAnswer = Answer<EndpointTable['GET /projects/:name/disk']>

interface ProjectDisk extends DiskAnswer {
  snapshots: DiskSnapshot[]
}

const pollMs = 2_000

/** The disk with its snapshots. It is polled while it is being copied, in case that the events are not heard. */
export function useDisk(name: string): Resource<ProjectDisk> {
  const resource = useResource(`disk of ${name}`, () => load(name), {
    project: name,
    topics: ['project', 'app', 'deployment'],
  })
  usePolling(resource.data?.disk?.is_copying === true, resource.refresh, pollMs)
  return resource
}

async function load(name: string): Promise<ProjectDisk> {
  const params = { name }
  const answer = await call('GET /projects/:name/disk', { params })
  if (!answer.disk) return { ...answer, snapshots: [] }
  return { ...answer, ...(await call('GET /projects/:name/disk/snapshots', { params })) }
}

export const setDisk = (name: string, body: { size_bytes: number; path: string; shared: boolean }) =>
  call('PUT /projects/:name/disk', { params: { name }, body })

export const setPreviewDisks = (name: string, preview_data: Disk['preview_data']) =>
  call('PATCH /projects/:name/disk', { params: { name }, body: { preview_data } })

export const removeDisk = (name: string) =>
  call('DELETE /projects/:name/disk', { params: { name }, query: { confirm: name } })

export const makeSnapshot = (name: string) =>
  call('POST /projects/:name/disk/snapshots', { params: { name } })

export const restoreSnapshot = (name: string, id: string) =>
  call('POST /projects/:name/disk/snapshots/:id/restore', { params: { name, id } })

export const saveSnapshot = (name: string, id: string): Promise<void> =>
  saveFile('GET /projects/:name/disk/snapshots/:id/download', { name, id }, `${name}-${id}.tar`)

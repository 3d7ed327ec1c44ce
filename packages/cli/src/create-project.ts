// Creates a project, or finds the user's project of that name, and links the directory to it.
import { ApiError, type SparseClient } from '@svc/contract/client'
import { Failure } from './failure.ts'
import { prepareLink } from './link.ts'
import { connect } from './session.ts'

/** `retry` is the command that takes another name. */
export async function createAndLink(name: string, org: string | undefined, retry: string): Promise<Found> {
  const call = connect()
  const create = () => createOrFind(call, name, org, retry)
  const undo = async ({ created }: Found) => {
    if (created) await call('DELETE /projects/:name', { params: { name } })
  }
  return await linking(name, create, undo)
}

export const otherOwner = (name: string, org: string | null | undefined, wanted: string): string =>
  `${name} exists already and ${org ? `belongs to ${org}` : 'is your own'}; it is not in ${wanted}.`

/**
 * Links the directory if `create` succeeds. Checks first that the directory can be written to. If it cannot be linked all the
 * same, such as to a svc.json that is a mount of its own, what `create` made is undone.
 */
async function linking<T>(
  name: string,
  create: () => Promise<T>,
  undo: (result: T) => Promise<void>,
): Promise<T> {
  const link = prepareLink(name)
  const interrupted = () => {
    link.drop()
    process.exit(130)
  }
  process.once('SIGINT', interrupted)
  try {
    const result = await create()
    try {
      link.keep()
    } catch (error) {
      await undo(result)
      throw error
    }
    return result
  } finally {
    link.drop()
    process.off('SIGINT', interrupted)
  }
}

interface Found {
  created: boolean
  url?: string | null | undefined
  org?: string | null | undefined
}

async function createOrFind(
  call: SparseClient,
  name: string,
  org: string | undefined,
  retry: string,
): Promise<Found> {
  try {
    const project = await call('POST /projects', { body: { name, org } })
    return { created: true, ...project }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'name_taken') throw error
    const project = await call('GET /projects/:name', { params: { name } }).catch(refusal => {
      if (refusal instanceof ApiError && refusal.status >= 400 && refusal.status < 500)
        throw new Failure(`The name '${name}' is already taken. Choose another: ${retry}`)
      throw refusal
    })
    return { created: false, ...project }
  }
}

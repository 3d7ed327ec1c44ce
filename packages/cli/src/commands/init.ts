// Creates a project, or finds the user's own of that name, and links the directory to it.
import { basename } from 'node:path'
import { ApiError } from '@svc/contract/client'
import type { Run } from '../command.ts'
import { Failure } from '../failure.ts'
import { linkedProject, prepareLink } from '../link.ts'
import { bold, cyan, print, warn } from '../output.ts'
import { projectName } from '../project-name.ts'
import { connect } from '../session.ts'

export const init: Run = async ({ args, options }) => {
  const asked = args[0] ?? options.project
  const linked = linkedProject()
  if (linked && asked === undefined) return print(`This directory is already linked to ${bold(linked)}.`)

  const name = projectName(asked, basename(process.cwd()))
  const { created, url, org } = await linking(name, () => createOrFind(name, options.org))
  if (options.org && org !== options.org)
    warn(
      `${name} exists already and ${org ? `belongs to ${org}` : 'is your own'}; it is not in ${options.org}.`,
    )
  print(`${created ? 'Created' : 'Found'} ${bold(name)} and linked this directory to it (svc.json).`)
  print(url ? `'svc deploy' puts it live at ${cyan(url)}` : "'svc deploy' puts it live.")
}

/** Links the directory if `act` succeeds. A directory that cannot be written to is found out before. */
async function linking<T>(name: string, act: () => Promise<T>): Promise<T> {
  const link = prepareLink(name)
  const interrupted = () => {
    link.drop()
    process.exit(130)
  }
  process.once('SIGINT', interrupted)
  try {
    const result = await act()
    link.keep()
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

async function createOrFind(name: string, org: string | undefined): Promise<Found> {
  const call = connect()
  try {
    const project = await call('POST /projects', { body: { name, org } })
    return { created: true, ...project }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'name_taken') throw error
    const project = await call('GET /projects/:name', { params: { name } }).catch(refusal => {
      if (refusal instanceof ApiError && refusal.status >= 400 && refusal.status < 500)
        throw new Failure(`The name '${name}' is already taken. Choose another: svc init <name>`)
      throw refusal
    })
    return { created: false, ...project }
  }
}

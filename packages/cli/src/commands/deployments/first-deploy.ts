// Leads through a first `svc deploy` at a terminal: asks for what is missing, in place of an error that names other commands.
import { basename } from 'node:path'
import { ApiError } from '@svc/contract/client'
import { createAndLink } from '../../create-project.ts'
import { isLoggedIn } from '../../credentials.ts'
import { Failure } from '../../failure.ts'
import { linkedProject } from '../../link.ts'
import type { OptionValues } from '../../options.ts'
import { bold, clean, notice } from '../../output.ts'
import { defaultApiUrl, usesDefaultApiUrl } from '../../platform-url.ts'
import { derive, projectName } from '../../project-name.ts'
import { askFor, confirm } from '../../prompt.ts'
import { connect } from '../../session.ts'
import { withIgnoreRules } from '../../site/ignore.ts'
import { listSite } from '../../site/list.ts'
import { login } from '../identity/login.ts'

const attempts = 3

/** `dir` is the folder to deploy, `undefined` if a build makes it. */
export async function prepareFirstDeploy({ project }: OptionValues, dir: string | undefined): Promise<void> {
  if (!isLoggedIn()) await logIn()
  if (project !== undefined || linkedProject() !== undefined) return
  // An empty folder fails before there is a project for it.
  if (dir !== undefined) listSite(dir, await withIgnoreRules(dir, { nodeModules: false }))
  await linkProject()
}

async function logIn(): Promise<void> {
  notice('You are not logged in yet.')
  const url = usesDefaultApiUrl() ? await askFor('URL of your platform', defaultApiUrl) : defaultApiUrl
  await login({ args: [], options: url === defaultApiUrl ? {} : { 'api-url': url } })
}

async function linkProject(): Promise<void> {
  notice('This directory has no project yet.')
  const suggested = derive(basename(process.cwd()))
  for (let left = attempts - 1; ; left--) {
    const asked = await askFor('Name of the project', suggested)
    try {
      return await linkTo(asked)
    } catch (error) {
      if (left === 0 || !isAboutTheName(error)) throw error
      notice(clean(error.message))
    }
  }
}

async function linkTo(asked: string): Promise<void> {
  const name = projectName(asked, '', 'svc init <name>')
  if ((await isKnown(name)) && !(await confirm(`You have a project ${name}. Deploy to it?`, false)))
    throw new Failure('Give the project another name.')
  const { created } = await createAndLink(name, undefined, 'svc init <name>')
  notice(`${created ? 'Created' : 'Found'} ${bold(name)} and linked this directory to it (svc.json).`)
}

/** Whether the user may act on a project of this name. */
async function isKnown(name: string): Promise<boolean> {
  try {
    await connect()('GET /projects/:name', { params: { name } })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return false
    throw error
  }
}

const namingCodes = ['invalid_name', 'reserved_name', 'name_taken']

const isAboutTheName = (error: unknown): error is Error =>
  error instanceof Failure || (error instanceof ApiError && namingCodes.includes(error.code))

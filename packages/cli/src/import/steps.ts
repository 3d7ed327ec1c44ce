// The steps of an import, in order. Each step first checks what exists already, so that an interrupted import can be run
// again and continues.
import { ApiError, type SparseClient } from '@svc/contract/client'
import { createAndLink, otherOwner } from '../create-project.ts'
import { linkedProject } from '../link.ts'
import { bold, clean, count, cyan, print, warn } from '../output.ts'
import { connect, required } from '../session.ts'
import { shellWord } from '../shell-word.ts'
import type { ImportedVariable } from './imported.ts'
import type { Plan } from './plan.ts'
import type { ProjectFiles } from './project-files.ts'
import { writeRuleFile } from './rules/rule-files.ts'

/** What the server refused. It is printed at the end of the import, and the other steps go on. */
export type Problems = string[]

export async function makeProject({ project, org }: Plan): Promise<void> {
  if (linkedProject() === project && (await projectExists(project)))
    return print(`This directory is already linked to ${bold(project)}.`)
  const { created, org: owner } = await createAndLink(project, org, 'svc import --project <name>')
  if (org && owner !== org) warn(otherOwner(project, owner, org))
  print(`${created ? 'Created' : 'Found'} ${bold(project)} and linked this directory to it (svc.json).`)
}

/** A linked project may have been deleted since. */
async function projectExists(name: string): Promise<boolean> {
  try {
    await connect()('GET /projects/:name', { params: { name } })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false
    throw error
  }
}

/** Keeps a variable that has another value here, because somebody changed it after an earlier import. */
export async function copyVariables({ imported, project: name }: Plan, problems: Problems): Promise<void> {
  const wanted = [...imported.variables.values()]
  if (wanted.length === 0) return
  const call = connect()
  const { env } = await call('GET /projects/:name/env', { params: { name } })
  const forBoth = (env ?? []).filter(({ environments }) => environments?.length !== 1)
  const stored = new Map(forBoth.map(({ key, value }) => [key ?? '', value ?? '']))
  const missing = wanted.filter(({ key }) => !stored.has(key))
  const other = wanted.filter(({ key, value }) => stored.has(key) && stored.get(key) !== value)
  let set = 0
  for (const variable of missing) set += (await setVariable(call, name, variable, problems)) ? 1 : 0
  const same = wanted.length - missing.length - other.length
  const already = same > 0 ? ` Set already: ${same}.` : ''
  print(`Set ${count(set, 'variable')}.${already}`)
  if (other.length > 0)
    warn(`Kept, since they have other values here: ${other.map(({ key }) => key).join(', ')}`)
}

async function setVariable(
  call: SparseClient,
  name: string,
  { key, value, scope }: ImportedVariable,
  problems: Problems,
): Promise<boolean> {
  return await unlessRefused(problems, `the variable ${key}`, () =>
    call('PUT /projects/:name/env/:key', { params: { name, key }, body: { value, scope } }),
  )
}

export function listSecrets({ imported, project }: Plan): void {
  if (imported.secrets.size === 0) return
  print('Set these yourself; their values cannot be read from there:')
  for (const key of imported.secrets)
    print(`  ${cyan(`svc env set ${shellWord(clean(key))} - --scope both --project ${project}`)}`)
}

export async function addCrons({ imported, project: name }: Plan, problems: Problems): Promise<void> {
  if (imported.crons.length === 0) return
  const call = connect()
  const { crons } = await call('GET /projects/:name/crons', { params: { name } })
  const isKnown = (job: { schedule: string; path: string }) =>
    (crons ?? []).some(({ schedule, path }) => schedule === job.schedule && path === job.path)
  let added = 0
  for (const job of imported.crons.filter(job => !isKnown(job)))
    added += (await unlessRefused(problems, `the job ${job.schedule} ${job.path}`, () =>
      call('POST /projects/:name/crons', { params: { name }, body: { ...job } }),
    ))
      ? 1
      : 0
  print(`Added ${count(added, 'scheduled job')}.`)
}

/** Records a refusal and goes on. The rest of the import does not depend on it. */
async function unlessRefused(
  problems: Problems,
  what: string,
  step: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await step()
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_request') throw error
    problems.push(`${clean(what)}: ${clean(error.message)}`)
    return false
  }
}

export function writeRules({ ruleFiles }: Plan, files: ProjectFiles): void {
  for (const file of ruleFiles) {
    if (file.state !== 'unchanged') writeRuleFile(files, file)
    const rules = count(file.lines.length, 'line')
    print(
      file.state === 'unchanged'
        ? `${clean(file.path)} holds the rules already.`
        : `Wrote ${rules} to ${bold(clean(file.path))}. Commit it.`,
    )
  }
}

/** The login that owns the repositories on the platform itself. */
export async function ownerOf({ org }: Plan): Promise<string> {
  return org ?? required(await connect()('GET /me'), 'gitforge_login')
}

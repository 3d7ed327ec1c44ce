// The password of a site: whether it has one, set it, remove it.
import type { PreviewAccessMode } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { bold, print, printJson } from '../../output.ts'
import { askSecretly } from '../../prompt.ts'
import { connect, required } from '../../session.ts'
import { readStdin } from '../../stdin.ts'

export const passwordStatus: Run = async ({ options }) => {
  const name = requireProject(options)
  const project = await connect()('GET /projects/:name', { params: { name } })
  if (options.json) return printJson(project)
  const states = {
    public: 'is public: everyone can see it.',
    password: 'asks visitors for a password.',
    org: `is open to the members of ${project.org} alone.`,
  }
  const mode = required(required(project, 'access'), 'mode')
  print(`${bold(name)} ${states[mode] ?? `has the access mode ${mode}.`}`)
  const previews = project.preview_access?.mode ?? 'site'
  if (previews === 'password') print('Its previews ask visitors for a password of their own.')
  if (previews === 'org') print(`Its previews are open to the members of ${project.org} alone.`)
}

const setPreviews = (name: string, body: { mode: PreviewAccessMode; password?: string }) =>
  connect()('PUT /projects/:name/access/previews', { params: { name }, body })

export const setPassword: Run = async ({ args: [given = ''], options }) => {
  const name = requireProject(options)
  const call = connect()
  const password = given === '-' ? await readPassword() : given
  if (password.length < min || password.length > max) throw new Failure(wrongLength)
  if (options.previews) {
    await setPreviews(name, { mode: 'password', password })
    return print(
      `The previews of ${bold(name)} ask visitors for the password now. The site itself stays as it is.`,
    )
  }
  await call('PUT /projects/:name/password', { params: { name }, body: { password } })
  print(`${bold(name)} asks visitors for the password now, also those who knew an earlier one.`)
}

const { min, max } = limits.sitePassword
const wrongLength = `The password must have ${min} to ${max} characters.`
/** A UTF-16 code unit has at most 3 bytes in UTF-8. */
const maxBytes = max * 3

/** Reads the password: typed without echo on a terminal, else all of stdin. */
const readPassword = (): Promise<string> =>
  process.stdin.isTTY
    ? askSecretly('Password: ')
    : readStdin({ what: 'the password', maxBytes, tooLong: wrongLength })

export const removePassword: Run = async ({ options }) => {
  const name = requireProject(options)
  if (options.previews) {
    await setPreviews(name, { mode: 'site' })
    return print(`Visitors who may see ${bold(name)} may see its previews now.`)
  }
  await connect()('DELETE /projects/:name/password', { params: { name } })
  print(`${bold(name)} is public now.`)
}

export const membersOnly: Run = async ({ options }) => {
  const name = requireProject(options)
  if (options.previews) await setPreviews(name, { mode: 'org' })
  else await connect()('PUT /projects/:name/access', { params: { name }, body: { mode: 'org' } })
  const what = options.previews ? `The previews of ${bold(name)} are` : `${bold(name)} is`
  print(`${what} open to the members of its org alone now.`)
}

// The password of a site: whether it has one, set it, remove it.
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
}

export const setPassword: Run = async ({ args: [given = ''], options }) => {
  const name = requireProject(options)
  const call = connect()
  const password = given === '-' ? await readPassword() : given
  if (password.length < min || password.length > max) throw new Failure(wrongLength)
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
  await connect()('DELETE /projects/:name/password', { params: { name } })
  print(`${bold(name)} is public now.`)
}

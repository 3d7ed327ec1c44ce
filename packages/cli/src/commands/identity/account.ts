// Shows who is logged in, and logs out.
import type { Run } from '../../command.ts'
import { forgetToken } from '../../credentials.ts'
import { print, printJson } from '../../output.ts'
import { connect, required } from '../../session.ts'

export const logout: Run = async () => {
  print(forgetToken() ? 'Logged out.' : 'Already logged out.')
}

export const whoami: Run = async ({ options }) => {
  const me = await connect()('GET /me')
  if (options.json) return printJson(me)
  print(`${required(me, 'gitforge_login')} (${[me.id, me.email].filter(Boolean).join(', ')})`)
  if (me.project) print(`The token reaches only the project ${me.project}.`)
}

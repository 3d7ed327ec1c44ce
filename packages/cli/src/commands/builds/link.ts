// Links the account to a GitHub user, or unlinks it. Links are there so that the platform can ask GitHub which repositories that user may use.
import { ApiError, type SparseClient } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { approvedToken } from '../../device-login.ts'
import { Failure } from '../../failure.ts'
import { clean, notice, print } from '../../output.ts'
import { readOwnPassword } from '../../own-password.ts'
import { askSecretly, canAsk } from '../../prompt.ts'
import { connect } from '../../session.ts'

export const linkGitHub: Run = async () => {
  await link(connect())
}

export async function link(call: SparseClient): Promise<void> {
  // A platform of an older version asks for no password.
  const device = await call('POST /github/link', { body: {} }).catch(async (error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'invalid_request') throw error
    return await call('POST /github/link', { body: { password: await askPassword() } })
  })
  await approvedToken(call, device, 'svc git link')
  print('Your account is linked to your GitHub user.')
}

export const unlinkGitHub: Run = async () => {
  const call = connect()
  const { github, github_login: user } = await call('GET /me/security')
  if (github === false) throw new Failure('Your account is not linked to a GitHub user.')
  notice(`${clean(user ?? 'The GitHub user')} can then no longer sign in to your account.`)
  await call('POST /github/unlink', { body: { password: await readOwnPassword() } })
  print('Your account is no longer linked to a GitHub user.')
}

async function askPassword(): Promise<string> {
  if (!canAsk())
    throw new Failure(
      "Your GitHub user can sign in to your account afterwards, so this asks for your password, and there is no terminal to ask at. Run 'svc git link' in a terminal, or link it in the dashboard: in a project under Settings, Git.",
    )
  return await askSecretly('The password of your account: ')
}

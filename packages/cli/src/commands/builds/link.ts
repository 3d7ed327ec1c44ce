// Links the account to a GitHub user, so that the platform can ask GitHub which repositories that user may use.
import type { SparseClient } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { approvedToken } from '../../device-login.ts'
import { print } from '../../output.ts'
import { connect } from '../../session.ts'

export const linkGitHub: Run = async () => {
  await link(connect())
}

export async function link(call: SparseClient): Promise<void> {
  await approvedToken(call, await call('POST /github/link'), 'svc git link')
  print('Your account is linked to your GitHub user.')
}

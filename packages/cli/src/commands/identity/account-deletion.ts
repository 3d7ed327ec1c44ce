// Saves the data of the account, deletes the account, and keeps one that waits for its deletion.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { download } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { forgetToken } from '../../credentials.ts'
import { notice, print } from '../../output.ts'
import { readOwnPassword } from '../../own-password.ts'
import { connect, sessionSettings } from '../../session.ts'

export const exportAccount: Run = async () => {
  const response = await download(sessionSettings(), 'GET /me/export')
  await pipeline(Readable.fromWeb(response.body as ReadableStream), process.stdout, { end: false })
}

export const deleteAccount: Run = async () => {
  const call = connect()
  const { gitforge_login: login } = await call('GET /me')
  notice(
    `This deletes the account ${login ?? ''} with its projects, and organizations without other members. Its sites go offline at once. To save the data first: svc account export > account.jsonl`,
  )
  const { delete_at } = await call('DELETE /me', { body: { password: await readOwnPassword() } })
  forgetToken()
  print(
    `The account will be deleted${delete_at ? ` at ${delete_at}` : ''}. To keep it: svc login, then svc account keep.`,
  )
}

export const keepAccount: Run = async () => {
  await connect()('POST /me/keep')
  print('Your account stays, and your sites are online again. Its tokens stay revoked.')
}

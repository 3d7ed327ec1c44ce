// Shows the email address of the account, and cancels a change of it.
import type { Run } from '../../command.ts'
import { print, printJson } from '../../output.ts'
import { connect } from '../../session.ts'

export const showEmail: Run = async ({ options }) => {
  const call = connect()
  const [{ email }, { pending_email }] = await Promise.all([call('GET /me'), call('GET /me/security')])
  if (options.json) return printJson({ email, pending_email })
  print(email ?? 'This account has no email address.')
  if (pending_email)
    print(`${pending_email} waits for its confirmation. 'svc email cancel' cancels the change.`)
}

export const cancelEmailChange: Run = async () => {
  await connect()('DELETE /me/email/pending')
  print('Cancelled the change of the email address.')
}

// The way in with a GitHub account, where the platform uses GitHub.
import { call } from '../../../api.ts'
import { config } from '../../../config.ts'
import { startSession } from '../../../session.ts'
import { DeviceCode } from './device-code.tsx'
import styles from './github.module.css'

interface GitHubSignInProps {
  setupToken?: string | null | undefined
  inviteToken?: string
  onToken?: (token: string) => Promise<unknown>
  /** Whether a form with a password follows. */
  isFirstOfTwo?: boolean
}

export const usesGitHub = (): boolean => config().forges.includes('github')
/** Whether new accounts can have a password. */
export const takesPasswords = (): boolean => config().forges.includes('builtin')

export function GitHubSignIn({
  setupToken,
  inviteToken,
  onToken = startSession,
  isFirstOfTwo,
}: GitHubSignInProps) {
  if (!usesGitHub()) return null
  const start = () =>
    call('POST /auth/device', {
      body: {
        forge: 'github',
        client: 'dashboard',
        ...(setupToken && { setup_token: setupToken }),
        ...(inviteToken && { invite_token: inviteToken }),
      },
    })
  return (
    <>
      <DeviceCode action="Continue with GitHub" start={start} onApproved={onToken} />
      {isFirstOfTwo && <p className={styles.or}>or with a password</p>}
    </>
  )
}

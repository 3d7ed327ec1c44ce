import { Redirect, useLocation } from 'wouter'
import { forgetSetupToken, setupToken } from '../../../arrival.ts'
import { LinkButton } from '../../../components/button.tsx'
import { Command } from '../../../components/copy.tsx'
import { Gate } from '../../../components/gate.tsx'
import { config, setupDone } from '../../../config.ts'
import { href } from '../../../paths.ts'
import { session, startSession } from '../../../session.ts'
import { GitHubSignIn } from '../../builds/github/github-sign-in.tsx'
import { AccountForm } from '../sign-in/account-form.tsx'

function arrive(token: string) {
  forgetSetupToken()
  setupDone()
  return startSession(token)
}

export function SetupPage() {
  useLocation()
  const { state } = session.use()
  const token = setupToken()
  if (state === 'signed in') return <Redirect to={href('/')} replace />
  if (!config().setup_needed)
    return (
      <Gate title="Already set up" lead="This platform has its first account, so the set-up link is spent.">
        <LinkButton href={href('/signin')} look="primary" size="large">
          Sign in
        </LinkButton>
      </Gate>
    )
  if (!token)
    return (
      <Gate
        title="Set up svc"
        lead="The first account is made with a one-time link. The server printed it in the terminal when it started; open it from there."
      >
        <p>Or make the account on the server’s own machine:</p>
        <Command>npx svcd users create my-login</Command>
      </Gate>
    )
  return (
    <Gate title="Set up svc" lead="Create the first account. It will administer this platform.">
      <GitHubSignIn setupToken={token} onToken={arrive} isFirstOfTwo />
      <AccountForm submit="Create account" setupToken={token} onToken={arrive} />
    </Gate>
  )
}

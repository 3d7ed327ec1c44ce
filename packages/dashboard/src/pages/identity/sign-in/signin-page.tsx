import { useEffect, useState } from 'react'
import { Link, useSearch } from 'wouter'
import { call, explain } from '../../../api.ts'
import { Button, LinkButton } from '../../../components/button.tsx'
import { PasswordField } from '../../../components/field.tsx'
import { Gate, GateForm } from '../../../components/gate.tsx'
import { Notice } from '../../../components/notice.tsx'
import { config } from '../../../config.ts'
import { deviceSecretOf, keepDeviceSecret } from '../../../known-device.ts'
import { withSearch } from '../../../next.ts'
import { href } from '../../../paths.ts'
import { session, startSession } from '../../../session.ts'
import { leaving, useFormWork } from '../../../use-work.ts'
import { GitHubSignIn, takesPasswords, usesGitHub } from '../../builds/github/github-sign-in.tsx'
import { offerPasskeys } from '../passkeys.ts'
import { CodeStep } from './code-step.tsx'
import { LoginField } from './login-field.tsx'
import { PasskeyButton } from './passkey-button.tsx'

/** A sign-in whose password was right, and that needs a code. */
interface CodeNeeded {
  challenge: string
  passkey: boolean
}

export function SignInPage() {
  const [login, setLogin] = useState('')
  const [password, setPassword] = useState('')
  const { busy, error, setError, run } = useFormWork()
  const [codeNeeded, setCodeNeeded] = useState<CodeNeeded>()
  const search = useSearch()
  const current = session.use()
  const why = current.state === 'signed out' ? current.why : undefined

  useEffect(() => {
    const visit = new AbortController()
    offerPasskeys(visit.signal).then(
      answer => answer && startSession(answer.token),
      failure => setError(explain(failure)),
    )
    return () => visit.abort()
  }, [setError])

  async function signIn() {
    if (!login || !password) return setError('Enter your login and your password.')
    const name = login.trim()
    const device = deviceSecretOf(name)
    const answer = await call('POST /auth/signin', {
      body: { login: name, password, ...(device && { device_secret: device }) },
    })
    if (!('token' in answer)) return setCodeNeeded(answer)
    await enter(answer)
    return leaving
  }

  async function enter({ token, device_secret }: { token: string; device_secret: string }) {
    keepDeviceSecret(login.trim(), device_secret)
    await startSession(token)
  }

  function startAgain() {
    setCodeNeeded(undefined)
    setPassword('')
  }

  if (codeNeeded) return <CodeStep {...codeNeeded} onSignedIn={enter} onBack={startAgain} />

  return (
    <Gate
      title="Sign in to svc"
      footer={
        config().signups === 'open' &&
        takesPasswords() && (
          <>
            New here? <Link href={withSearch(href('/signup'), search)}>Create an account</Link>
          </>
        )
      }
    >
      <GitHubSignIn isFirstOfTwo />
      <GateForm onSubmit={() => run(signIn)}>
        {why && !error && <Notice tone="info">{why}</Notice>}
        {error && <Notice tone="error">{error}</Notice>}
        <LoginField
          autoComplete="username webauthn"
          autoFocus={!usesGitHub()}
          value={login}
          onChange={event => setLogin(event.target.value)}
        />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={event => setPassword(event.target.value)}
        />
        <Button type="submit" look="primary" size="large" busy={busy}>
          Sign in
        </Button>
      </GateForm>
      <PasskeyButton />
      {config().mail && takesPasswords() && (
        <LinkButton href={href('/forgot-password')} look="quiet">
          Forgot your password?
        </LinkButton>
      )}
    </Gate>
  )
}

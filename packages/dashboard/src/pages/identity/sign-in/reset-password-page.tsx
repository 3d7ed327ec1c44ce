// Where the link in the email for a new password leads. Its secret is in the fragment, which browsers send to no server.
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { call, codeOf, explain } from '../../../api.ts'
import { Button, LinkButton } from '../../../components/button.tsx'
import { CheckField } from '../../../components/check-field.tsx'
import { PasswordField } from '../../../components/field.tsx'
import { Gate, GateForm } from '../../../components/gate.tsx'
import { Notice } from '../../../components/notice.tsx'
import { href } from '../../../paths.ts'
import { useWork } from '../../../use-work.ts'

const { min, max } = limits.accountPassword

const secretInUrl = (): string => new URLSearchParams(location.hash.slice(1)).get('reset') ?? ''

export function ResetPasswordPage() {
  const [token] = useState(secretInUrl)
  const [password, setPassword] = useState('')
  const [revokesTokens, setRevokesTokens] = useState(false)
  const [error, setError] = useState<string>()
  const [isSpent, setSpent] = useState(token === '')
  const { busy, run } = useWork(failure => {
    if (codeOf(failure) === 'not_found') setSpent(true)
    else setError(explain(failure))
  })
  const [login, setLogin] = useState<string>()

  async function reset() {
    if (password.length < min) return setError(`Use at least ${min} characters.`)
    if (password.length > max) return setError(`Use at most ${max} characters.`)
    setError(undefined)
    const changed = await call('POST /auth/password/reset', {
      body: { token, new_password: password, revoke_tokens: revokesTokens },
    })
    history.replaceState(history.state, '', location.pathname)
    setLogin(changed.login)
  }

  if (login !== undefined)
    return (
      <Gate title="Your password was changed" lead={`Sign in as ${login} with your new password.`}>
        <LinkButton href={href('/signin')} look="primary" size="large">
          Sign in
        </LinkButton>
      </Gate>
    )
  if (isSpent)
    return (
      <Gate title="This link does not work any more" lead="It was used, or it has expired.">
        <LinkButton href={href('/forgot-password')} look="primary" size="large">
          Send another link
        </LinkButton>
      </Gate>
    )
  return (
    <Gate title="Choose a new password" lead="All sessions of the dashboard end then.">
      <GateForm onSubmit={() => run(reset)}>
        {error && <Notice tone="error">{error}</Notice>}
        <PasswordField
          label="New password"
          name="new_password"
          autoComplete="new-password"
          autoFocus
          value={password}
          hint={`${min} characters or more; a sentence is easiest to remember.`}
          onChange={event => setPassword(event.target.value)}
        />
        <CheckField name="revoke_tokens" checked={revokesTokens} onChange={setRevokesTokens}>
          Also revoke my access tokens, for the command line and CI
        </CheckField>
        <Button type="submit" look="primary" size="large" busy={busy}>
          Change password
        </Button>
      </GateForm>
    </Gate>
  )
}

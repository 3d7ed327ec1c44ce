// Asks for an email with a link to choose a new password. The answer never says whether there is such an account.
import { useState } from 'react'
import { call } from '../../../api.ts'
import { Button, LinkButton } from '../../../components/button.tsx'
import { Gate, GateForm } from '../../../components/gate.tsx'
import { Notice } from '../../../components/notice.tsx'
import { href } from '../../../paths.ts'
import { useFormWork } from '../../../use-work.ts'
import { LoginField } from './login-field.tsx'

export function ForgotPasswordPage() {
  const [login, setLogin] = useState('')
  const { busy, error, setError, run } = useFormWork()
  const [isSent, setSent] = useState(false)

  async function ask() {
    if (!login.trim()) return setError('Enter your login or your email address.')
    await call('POST /auth/password/forgot', { body: { login: login.trim() } })
    setSent(true)
  }

  if (isSent)
    return (
      <Gate
        title="Look at your email"
        lead="If there is an account with an email address, a link to choose a new password is on its way. It works once, for an hour."
      >
        <LinkButton href={href('/signin')} look="primary" size="large">
          Back to sign-in
        </LinkButton>
      </Gate>
    )
  return (
    <Gate title="Forgot your password?" lead="You get an email with a link to choose a new one.">
      <GateForm onSubmit={() => run(ask)}>
        {error && <Notice tone="error">{error}</Notice>}
        <LoginField
          label="Login or email address"
          autoFocus
          value={login}
          onChange={event => setLogin(event.target.value)}
        />
        <Button type="submit" look="primary" size="large" busy={busy}>
          Send the link
        </Button>
      </GateForm>
      <LinkButton href={href('/signin')} look="quiet">
        Back to sign-in
      </LinkButton>
    </Gate>
  )
}

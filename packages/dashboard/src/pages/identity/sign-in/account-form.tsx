// The fields of a new account, for the first one and for sign-ups.
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { call, codeOf, explain } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Field, PasswordField } from '../../../components/field.tsx'
import { GateForm } from '../../../components/gate.tsx'
import { Notice } from '../../../components/notice.tsx'
import { keepDeviceSecret } from '../../../known-device.ts'
import { startSession } from '../../../session.ts'
import { leaving, useWork } from '../../../use-work.ts'
import { LoginField } from './login-field.tsx'

interface AccountFormProps {
  submit: string
  setupToken?: string | null
  inviteToken?: string
  suggestedEmail?: string
  /** Takes the new account's first token and signs in with it. */
  onToken?: (token: string) => Promise<unknown>
}

type Fault = { field: 'login' | 'password' | 'email' | 'form'; text: string }

/** Codes of the API whose message belongs beside a field. */
const fieldOfCode: Record<string, Fault['field']> = {
  invalid_name: 'login',
  reserved_name: 'login',
  name_taken: 'login',
}

function faultOf(error: unknown): Fault {
  const text = explain(error)
  // The API's messages about a field begin with its name.
  const named = (['email', 'password', 'login'] as const).find(field => text.startsWith(field))
  const field = fieldOfCode[codeOf(error)] ?? named ?? 'form'
  return { field, text: text.charAt(0).toUpperCase() + text.slice(1) }
}

const { min, max } = limits.accountPassword

function faultIn(login: string, password: string): Fault | undefined {
  if (!login) return { field: 'login', text: 'Choose a login.' }
  if (password.length < min) return { field: 'password', text: `Use at least ${min} characters.` }
  if (password.length > max) return { field: 'password', text: `Use at most ${max} characters.` }
  return undefined
}

export function AccountForm({
  submit,
  setupToken,
  inviteToken,
  suggestedEmail = '',
  onToken = startSession,
}: AccountFormProps) {
  const [login, setLogin] = useState('')
  const [password, setPassword] = useState('')
  const [email, setEmail] = useState(suggestedEmail)
  const [fault, setFault] = useState<Fault>()
  const { busy, run } = useWork(failure => setFault(faultOf(failure)))
  const errorOf = (field: Fault['field']) => (fault?.field === field ? fault.text : undefined)

  async function create() {
    const found = faultIn(login, password)
    setFault(found)
    if (found) return
    const { token, device_secret } = await call('POST /auth/signup', {
      body: {
        login,
        password,
        email: email.trim() || null,
        ...(setupToken && { setup_token: setupToken }),
        ...(inviteToken && { invite_token: inviteToken }),
      },
    })
    keepDeviceSecret(login, device_secret)
    await onToken(token)
    return leaving
  }

  return (
    <GateForm onSubmit={() => run(create)}>
      {fault?.field === 'form' && <Notice tone="error">{fault.text}</Notice>}
      <LoginField
        autoFocus
        value={login}
        error={errorOf('login')}
        onChange={event => setLogin(event.target.value.trim().toLowerCase())}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="new-password"
        value={password}
        error={errorOf('password')}
        hint={`${min} characters or more; a sentence is easiest to remember.`}
        onChange={event => setPassword(event.target.value)}
      />
      <Field
        label="Email"
        optional
        name="email"
        type="email"
        autoComplete="email"
        value={email}
        error={errorOf('email')}
        onChange={event => setEmail(event.target.value)}
      />
      <Button type="submit" look="primary" size="large" busy={busy}>
        {submit}
      </Button>
    </GateForm>
  )
}

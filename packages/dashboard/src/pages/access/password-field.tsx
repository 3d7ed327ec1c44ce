// The password of a site: typed, or made up at the press of a button.
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { makePassword } from './new-password.ts'

interface PasswordFieldProps {
  /** Whether there is one already. */
  isSet: boolean
  name?: string
  value: string
  error: string | undefined
  onChange: (password: string) => void
}

export function SitePasswordField({
  isSet,
  name = 'site-password',
  value,
  error,
  onChange,
}: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  return (
    <Field
      label={isSet ? 'New password' : 'Password'}
      optional={isSet}
      hint={isSet ? 'Leave it empty to keep the one there is. It cannot be shown.' : '4 to 128 characters.'}
      name={name}
      type={shown ? 'text' : 'password'}
      autoComplete="new-password"
      autoCapitalize="none"
      spellCheck={false}
      value={value}
      error={error}
      onChange={event => onChange(event.target.value)}
      addon={
        <>
          <IconButton
            size="small"
            icon={shown ? 'eyeOff' : 'eye'}
            label={shown ? 'Hide password' : 'Show password'}
            onClick={() => setShown(!shown)}
          />
          <Button
            size="small"
            look="quiet"
            onClick={() => {
              setShown(true)
              onChange(makePassword())
            }}
          >
            Generate
          </Button>
        </>
      }
    />
  )
}

// The password of a site: typed, or made up at the press of a button.
import { PasswordField } from '../../components/field.tsx'
import { makePassword } from './new-password.ts'

interface SitePasswordFieldProps {
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
}: SitePasswordFieldProps) {
  return (
    <PasswordField
      label={isSet ? 'New password' : 'Password'}
      optional={isSet}
      hint={isSet ? 'Leave it empty to keep the one there is. It cannot be shown.' : '4 to 128 characters.'}
      name={name}
      autoComplete="new-password"
      value={value}
      error={error}
      onChange={event => onChange(event.target.value)}
      generate={() => onChange(makePassword())}
    />
  )
}

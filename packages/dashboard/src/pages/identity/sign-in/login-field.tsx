import type { ComponentProps } from 'react'
import { Field } from '../../../components/field.tsx'

/** The login of an account, which browsers fill in and leave as it is typed. */
export const LoginField = (props: Partial<ComponentProps<typeof Field>>) => (
  <Field
    label="Login"
    name="login"
    autoComplete="username"
    autoCapitalize="none"
    spellCheck={false}
    {...props}
  />
)

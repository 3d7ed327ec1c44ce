import { Link, useSearch } from 'wouter'
import { Gate } from '../../../components/gate.tsx'
import { config } from '../../../config.ts'
import { withSearch } from '../../../next.ts'
import { href } from '../../../paths.ts'
import { GitHubSignIn, takesPasswords } from '../../builds/github/github-sign-in.tsx'
import { AccountForm } from './account-form.tsx'

export function SignUpPage() {
  const search = useSearch()
  const signIn = <Link href={withSearch(href('/signin'), search)}>Sign in</Link>
  if (config().signups !== 'open')
    return (
      <Gate
        title="Sign-up is closed"
        lead={<>New accounts on this platform need an invitation. With an account: {signIn}.</>}
      />
    )
  return (
    <Gate title="Create your account" footer={<>Already have an account? {signIn}</>}>
      <GitHubSignIn isFirstOfTwo={takesPasswords()} />
      {takesPasswords() && <AccountForm submit="Create account" />}
    </Gate>
  )
}

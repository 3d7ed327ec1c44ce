// The question before an admin changes an account.
import type { AdminUser } from '@svc/contract'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { notify } from '../../components/toasts.tsx'
import { useLogin } from '../../session.ts'
import type { UserChange } from './admin-users.ts'

interface Words {
  title: string
  action: string
  text: string
  done: string
}

const words: Record<UserChange, (login: string) => Words> = {
  disable: login => ({
    title: `Disable ${login}?`,
    action: 'Disable account',
    text: `${login} is signed out everywhere and cannot sign in. All tokens that ${login} created stop at once, those for organizations too. The sites stay online.`,
    done: `${login} is disabled.`,
  }),
  enable: login => ({
    title: `Enable ${login}?`,
    action: 'Enable account',
    text: `${login} can sign in again, and the tokens of ${login} work again.`,
    done: `${login} is enabled.`,
  }),
  'make admin': login => ({
    title: `Make ${login} an admin?`,
    action: 'Make admin',
    text: `${login} can then use the operator area: see and disable all accounts, yours too, and make others admins.`,
    done: `${login} is a platform admin.`,
  }),
  'remove admin': login => ({
    title: `Remove ${login} as admin?`,
    action: 'Remove admin',
    text: `${login} loses the operator area. Projects and organizations of ${login} stay as they are.`,
    done: `${login} is not a platform admin any more.`,
  }),
  delete: login => ({
    title: `Delete ${login}?`,
    action: 'Delete account',
    text: `The sites of ${login} go offline at once. The account and everything it owns, also organizations without other members, are deleted for good after the grace time. Until then ${login} can sign in to download the data, and an admin can keep the account.`,
    done: `${login} will be deleted.`,
  }),
  keep: login => ({
    title: `Keep ${login}?`,
    action: 'Keep account',
    text: `The account is not deleted, and its sites are online again. Its tokens stay revoked.`,
    done: `${login} stays.`,
  }),
}

interface ChangeUserDialogProps {
  user: AdminUser
  change: UserChange
  run: () => Promise<void>
  onClose: () => void
}

/** For a change that takes something from their own account, admins type their login. */
export function ChangeUserDialog({ user: { login }, change, run, onClose }: ChangeUserDialogProps) {
  const { title, action, text, done } = words[change](login)
  const isOwn = useLogin() === login
  async function confirmed() {
    await run()
    notify({ tone: 'ok', text: done })
  }
  return (
    <ConfirmDialog
      title={title}
      action={action}
      run={confirmed}
      onClose={onClose}
      {...((isOwn || change === 'delete') && { typed: login })}
    >
      <p>{text}</p>
      {isOwn && <p>This is your own account. Only another admin can take this back.</p>}
    </ConfirmDialog>
  )
}

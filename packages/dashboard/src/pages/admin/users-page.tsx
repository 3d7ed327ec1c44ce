import type { AdminUser } from '@svc/contract'
import { useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { EndlessList } from '../../components/endless-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Rows } from '../../components/rows.tsx'
import { SettledSearch } from '../../components/settled-search.tsx'
import styles from './admin.module.css'
import { AdminLayout } from './admin-layout.tsx'
import { changeUser, type UserChange, userList } from './admin-users.ts'
import { ChangeUserDialog } from './change-user-dialog.tsx'
import { Invitations } from './invitation-rows.tsx'
import { LimitsDialog } from './limits-dialog.tsx'
import { NewInvitationDialog } from './new-invitation-dialog.tsx'
import { UserRow } from './user-row.tsx'

export function AdminUsersPage() {
  const [search, setSearch] = useState('')
  const [inviting, setInviting] = useState(false)
  return (
    <AdminLayout
      tab="Users"
      actions={
        <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      <SettledSearch label="Search by login or email" value={search} onChange={setSearch} />
      <Users key={search} search={search} />
      <Invitations />
      {inviting && <NewInvitationDialog onClose={() => setInviting(false)} />}
    </AdminLayout>
  )
}

function Users({ search }: { search: string }) {
  const list = useMemo(() => userList(search), [search])
  const [asking, setAsking] = useState<{ user: AdminUser; change: UserChange }>()
  const [limited, setLimited] = useState<string>()
  return (
    <Loaded resource={list.use()} rows={5} label="Loading users">
      {page => (
        <>
          {page.rows.length === 0 ? (
            <p className={styles.soft}>No account matches “{search}”.</p>
          ) : (
            <Rows columns="minmax(0, 1fr) 15rem 21rem" label="Users" end="below">
              {page.rows.map(user => (
                <UserRow
                  key={user.id}
                  user={user}
                  onChange={change => setAsking({ user, change })}
                  onLimits={() => setLimited(user.login)}
                />
              ))}
            </Rows>
          )}
          <EndlessList list={list} shown={page} />
          {limited && <LimitsDialog login={limited} onClose={() => setLimited(undefined)} />}
          {asking && (
            <ChangeUserDialog
              {...asking}
              run={() => changeUser(list, asking.user, asking.change)}
              onClose={() => setAsking(undefined)}
            />
          )}
        </>
      )}
    </Loaded>
  )
}

import type { AdminUser } from '@svc/contract'
import { useMemo, useRef, useState } from 'react'
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

interface Asked {
  user: AdminUser
  change: UserChange
}

export function AdminUsersPage() {
  const [search, setSearch] = useState('')
  const list = useMemo(() => userList(search), [search])
  const shown = useRef(list)
  shown.current = list
  const [inviting, setInviting] = useState(false)
  // Not those of the list: what is asked stays on the screen while a search replaces the list.
  const [asking, setAsking] = useState<Asked>()
  const [limited, setLimited] = useState<string>()
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
      <Users key={search} {...{ list, search }} onChange={setAsking} onLimits={setLimited} />
      <Invitations />
      {inviting && <NewInvitationDialog onClose={() => setInviting(false)} />}
      {limited && <LimitsDialog login={limited} onClose={() => setLimited(undefined)} />}
      {asking && (
        <ChangeUserDialog
          {...asking}
          run={() => changeUser(() => shown.current, asking.user, asking.change)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </AdminLayout>
  )
}

interface UsersProps {
  list: ReturnType<typeof userList>
  search: string
  onChange: (asked: Asked) => void
  onLimits: (login: string) => void
}

function Users({ list, search, onChange, onLimits }: UsersProps) {
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
                  onChange={change => onChange({ user, change })}
                  onLimits={() => onLimits(user.login)}
                />
              ))}
            </Rows>
          )}
          <EndlessList list={list} shown={page} />
        </>
      )}
    </Loaded>
  )
}

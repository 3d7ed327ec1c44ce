import type { AdminUser } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { useMemo, useState } from 'react'
import { PersonAvatar } from '../../components/avatar.tsx'
import { EndlessList } from '../../components/endless-list.tsx'
import { Field } from '../../components/field.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatCount } from '../../format.ts'
import rows from '../orgs/rows.module.css'
import styles from './admin.module.css'
import { userList } from './admin.ts'
import { AdminLayout } from './admin-layout.tsx'

export function AdminUsersPage() {
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  return (
    <AdminLayout tab="Users">
      <form
        onSubmit={event => {
          event.preventDefault()
          setSearch(typed.trim())
        }}
      >
        <Field
          label="Search by login or email"
          type="search"
          maxLength={100}
          value={typed}
          hint="Press Enter to search."
          onChange={event => {
            setTyped(event.target.value)
            if (event.target.value === '') setSearch('')
          }}
        />
      </form>
      <Users key={search} search={search} />
    </AdminLayout>
  )
}

function Users({ search }: { search: string }) {
  const list = useMemo(() => userList(search), [search])
  return (
    <Loaded resource={list.use()} rows={5} label="Loading users">
      {page => (
        <>
          {page.rows.length === 0 ? (
            <p className={styles.soft}>No account matches “{search}”.</p>
          ) : (
            <ul className={rows.rows} aria-label="Users">
              {page.rows.map(user => (
                <Row key={user.id} user={user} />
              ))}
            </ul>
          )}
          <EndlessList list={list} shown={page} />
        </>
      )}
    </Loaded>
  )
}

function Row({ user }: { user: AdminUser }) {
  const { login, email, admin, projects, orgs, stored_bytes, last_used_at } = user
  return (
    <li className={styles.row}>
      <div className={rows.who}>
        <PersonAvatar login={login} size={28} />
        <p className={rows.name}>
          {login}
          {admin && <span className={rows.note}>Platform admin</span>}
          {email && <span className={styles.email}>{email}</span>}
        </p>
      </div>
      <p className={styles.soft}>
        {formatCount(projects, 'project')}, {formatCount(orgs, 'org')}, {formatBytes(stored_bytes)}
      </p>
      <p className={styles.soft}>
        {last_used_at ? (
          <>
            Active <TimeAgo at={last_used_at} />
          </>
        ) : (
          'Never active'
        )}
      </p>
    </li>
  )
}

// Picks a repository at GitHub: the account it belongs to, a part of its name, and the repository.
import type { Installation, InstallationRepository } from '@svc/contract'
import { useState } from 'react'
import { call } from '../../../api.ts'
import { Field } from '../../../components/field.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { SelectField } from '../../../components/select.tsx'
import { type Resource, useResource } from '../../../resource.ts'
import styles from './github.module.css'
import { LinkAccount } from './link-account.tsx'

interface RepositoryPickerProps {
  value: string
  onPick: (repository: InstallationRepository) => void
}

export function RepositoryPicker(props: RepositoryPickerProps) {
  const resource = useResource('github', () => call('GET /github'))
  return (
    <Loaded resource={resource} rows={2} label="Loading your GitHub accounts">
      {({ installations, install_url, linked }) =>
        linked === false && installations.length === 0 ? (
          <LinkAccount onLinked={resource.refresh} />
        ) : (
          <>
            <Repositories {...props} installations={installations} />
            <p className={styles.soft}>
              Is an account or a repository missing?{' '}
              <a className={styles.link} href={install_url ?? ''} target="_blank" rel="noreferrer">
                Install the GitHub App
              </a>{' '}
              there, then{' '}
              <button type="button" className={styles.link} onClick={() => void resource.refresh()}>
                look again
              </button>
              .
            </p>
          </>
        )
      }
    </Loaded>
  )
}

function Repositories({
  installations,
  value,
  onPick,
}: RepositoryPickerProps & { installations: Installation[] }) {
  const [chosen, setChosen] = useState(String(installations[0]?.id ?? ''))
  const [search, setSearch] = useState('')
  const id = installations.some(row => String(row.id) === chosen)
    ? chosen
    : String(installations[0]?.id ?? '')
  const repositories: Resource<InstallationRepository[]> = useResource(`github ${id} ${search}`, async () => {
    if (id === '') return []
    const input = { params: { id }, query: { q: search } }
    return (await call('GET /github/installations/:id/repositories', input)).repositories
  })
  if (installations.length === 0) return <p>The GitHub App is not installed on an account of yours yet.</p>
  return (
    <>
      <SelectField
        label="GitHub account"
        name="installation"
        value={id}
        options={installations.map(row => ({ value: String(row.id), title: row.account }))}
        onChoose={setChosen}
      />
      <Field
        label="Search"
        optional
        name="search"
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={search}
        onChange={event => setSearch(event.target.value)}
      />
      <Loaded resource={repositories} rows={1} label="Loading repositories">
        {rows =>
          rows.length === 0 ? (
            <p className={styles.soft}>No repository here that you may push to has such a name.</p>
          ) : (
            <SelectField
              label="Repository"
              name="repository"
              value={rows.some(row => row.full_name === value) ? value : ''}
              options={[
                { value: '', title: 'Choose a repository' },
                ...rows.map(row => ({
                  value: row.full_name,
                  title: `${row.full_name}${row.private ? ' (private)' : ''}`,
                })),
              ]}
              onChoose={name => {
                const row = rows.find(it => it.full_name === name)
                if (row) onPick(row)
              }}
            />
          )
        }
      </Loaded>
    </>
  )
}

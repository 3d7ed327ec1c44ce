// Makes a project: with a repository, whose pushes are built and deployed, with a template, or for a folder that is deployed next.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { call, explain } from '../../api.ts'
import { type BarChoice, ChoiceBar } from '../../components/choice-bar.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { isAboutTheName, NameField } from '../../components/name-field.tsx'
import { notify } from '../../components/toasts.tsx'
import { siteUrl } from '../../config.ts'
import { bareUrl } from '../../format.ts'
import { asTyped, nameProblem } from '../../name-rules.ts'
import { href } from '../../paths.ts'
import { session } from '../../session.ts'
import { connectRepo, type RepoSettings, startFromTemplate } from '../builds/builds.ts'
import { atForge, BranchField, ForgeField, HostFields, settingsOf } from '../builds/connect-form.tsx'
import { takesPasswords } from '../builds/github/github-sign-in.tsx'
import { RepositoryPicker } from '../builds/github/repository-picker.tsx'
import { forgetProjects } from './list.ts'
import styles from './new-project-dialog.module.css'
import { TemplatePicker } from './template-picker.tsx'

/** What a project begins with. */
export type Beginning = 'repository' | 'template' | 'folder'

const beginnings: Record<Beginning, BarChoice> = {
  repository: { word: 'A git repository', meaning: 'Every push is built and deployed.' },
  template: { word: 'A template', meaning: 'You get a repository with its files, built and deployed.' },
  folder: { word: 'A folder', meaning: 'You drop it next, or deploy it from your terminal.' },
}

/** Templates become repositories of the built-in forge. */
export const offersTemplates = takesPasswords

interface NewProjectDialogProps {
  /** The org that will own it; the caller's own account if there is none. */
  org?: string | undefined
  beginsWith?: Beginning
  onClose: () => void
}

export function NewProjectDialog({ org, beginsWith = 'repository', onClose }: NewProjectDialogProps) {
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const [beginning, setBeginning] = useState(beginsWith)
  const [repo, setRepo] = useState(() => settingsOf(null, ''))
  const [template, setTemplate] = useState('html')
  const [, navigate] = useLocation()
  const current = session.use()
  const owner = org ?? (current.state === 'signed in' ? current.account.gitforge_login : '')
  const picks = beginning === 'repository' && repo.forge === 'github'
  const isElsewhere = beginning === 'repository' && repo.forge === 'elsewhere'
  const isIncomplete = (picks || isElsewhere) && repo.repo === ''

  async function run() {
    const wrong = name === '' ? 'Give the project a name.' : nameProblem(name)
    if (wrong !== undefined) return setProblem(wrong)
    try {
      await call('POST /projects', { body: { name, ...(org && { org }) } })
    } catch (failure) {
      if (!isAboutTheName(failure)) throw failure
      return setProblem(explain(failure))
    }
    forgetProjects()
    if (beginning === 'folder') navigate(href('/projects/:name', { name }))
    else await connect()
  }

  /** The project is there already, so a failure leads to its page for git, where one can try again. */
  async function connect() {
    try {
      const { build_id } =
        beginning === 'template'
          ? await startFromTemplate(name, template)
          : await connectRepo(name, picks || isElsewhere ? repo : { ...repo, repo: `${owner}/${name}` })
      if (build_id) return navigate(href('/projects/:name/git/:build', { name, build: build_id }))
    } catch (failure) {
      notify({ tone: 'error', text: `${name} was created, but not connected. ${explain(failure)}` })
    }
    navigate(href('/projects/:name/git', { name }))
  }

  function type(typed: string) {
    setName(typed)
    setProblem(undefined)
  }

  /** The project is called like the repository, until somebody types another name. */
  function changeHost(changes: Partial<RepoSettings>) {
    if (changes.repo !== undefined && name === nameIn(repo.repo)) type(nameIn(changes.repo))
    setRepo({ ...repo, ...changes })
  }

  return (
    <FormDialog
      title={org ? `New project in ${org}` : 'New project'}
      action="Create project"
      disabled={isIncomplete}
      run={run}
      onClose={onClose}
    >
      <ChoiceBar
        legend="Begin with"
        choices={beginnings}
        options={offersTemplates() ? ['repository', 'template', 'folder'] : ['repository', 'folder']}
        value={beginning}
        onChange={setBeginning}
      />
      {beginning === 'repository' && (
        <ForgeField
          value={repo.forge ?? 'github'}
          onChoose={forge => setRepo({ ...repo, ...atForge(forge) })}
        />
      )}
      {beginning === 'template' && <TemplatePicker value={template} onChoose={setTemplate} />}
      {picks && (
        <RepositoryPicker
          value={repo.repo}
          onPick={({ full_name, default_branch }) => {
            setRepo({ ...repo, repo: full_name, branch: default_branch })
            type(asTyped(full_name.split('/')[1] ?? ''))
          }}
        />
      )}
      {isElsewhere && (
        <>
          <HostFields settings={repo} change={changeHost} />
          <BranchField isOptional settings={repo} change={changeHost} />
        </>
      )}
      <NameField placeholder="my-site" value={name} error={problem} onChange={type} />
      <p className={styles.address}>
        It will be at <span>{bareUrl(siteUrl(name || 'my-site'))}</span>
      </p>
    </FormDialog>
  )
}

/** The name that the URL of a repository suggests: its last part, without `.git`. */
function nameIn(url: string): string {
  const [last = ''] = url.split('/').slice(4).filter(Boolean).slice(-1)
  return asTyped(last.endsWith('.git') ? last.slice(0, -4) : last)
}

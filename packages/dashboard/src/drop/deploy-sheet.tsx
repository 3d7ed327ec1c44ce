// Deploys a drop to a project: by itself after three seconds if nothing looks wrong, else when told to.
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { explain } from '../api.ts'
import { Choices } from '../components/choices.tsx'
import { Field } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { isAboutTheName, NameField } from '../components/name-field.tsx'
import { Notice } from '../components/notice.tsx'
import { SelectField } from '../components/select.tsx'
import { siteUrl } from '../config.ts'
import { bareUrl } from '../format.ts'
import { nameFromFolder, nameProblem } from '../name-rules.ts'
import { useNamesOf } from '../pages/projects/list.ts'
import { href } from '../paths.ts'
import { isUnderWay, useUpload } from '../upload/uploads.ts'
import { Countdown } from './countdown.tsx'
import { createProject, deploy } from './deploy.ts'
import type { Target } from './offers.ts'
import { type PlanProps, PlanView, warningsOf } from './plan-view.tsx'
import styles from './sheet.module.css'

interface DeploySheetProps extends PlanProps {
  target: Exclude<Target, { kind: 'share' }>
  onClose: () => void
}

export function DeploySheet({ target, onClose, ...planProps }: DeploySheetProps) {
  const { plan } = planProps
  const [existing, setExisting] = useState('')
  const [name, setName] = useState(nameFromFolder(plan.folder))
  const [nameError, setNameError] = useState<string>()
  const [destination, setDestination] = useState<Destination>('production')
  const [branch, setBranch] = useState('preview')
  const [isTouched, setTouched] = useState(false)
  const [, navigate] = useLocation()

  const project = target.kind === 'project' ? target.name : existing
  const isBusy = isUnderWay(useUpload(project))
  const isRisky = warningsOf(plan).length > 0
  const deploysItself = target.kind === 'project' && !isRisky && !isBusy && !isTouched

  /** Makes the project if there is none yet. Returns false if its name cannot be used. */
  async function makeProject(): Promise<boolean> {
    if (project || target.kind === 'project') return true
    const wrong = name === '' ? 'Give the project a name.' : nameProblem(name)
    if (wrong !== undefined) {
      setNameError(wrong)
      return false
    }
    try {
      await createProject(name, target.org)
      return true
    } catch (failure) {
      if (!isAboutTheName(failure)) throw failure
      setNameError(explain(failure))
      return false
    }
  }

  async function run() {
    if (!(await makeProject())) return
    const to = project || name
    deploy(to, plan, project && destination === 'preview' ? branch.trim() || 'preview' : undefined)
    onClose()
    navigate(href('/projects/:name', { name: to }))
  }

  return (
    <FormDialog
      title={project ? `Deploy to ${project}` : 'Deploy a site'}
      action={actionFor({ project, deploysItself, isRisky })}
      careful={isRisky && target.kind === 'project'}
      disabled={isBusy}
      run={run}
      onClose={onClose}
    >
      <div className={styles.parts} onInput={() => setTouched(true)}>
        <PlanView {...planProps} />
        {target.kind === 'new' && <ProjectChoice org={target.org} value={existing} onChoose={setExisting} />}
        {project ? (
          <DestinationChoice
            project={project}
            destination={destination}
            branch={branch}
            onDestination={setDestination}
            onBranch={setBranch}
          />
        ) : (
          <NewName
            name={name}
            error={nameError}
            onChange={typed => {
              setName(typed)
              setNameError(undefined)
            }}
          />
        )}
        {isBusy && (
          <Notice tone="warning">
            Another upload to {project} is under way. Wait until it has ended, or cancel it first.
          </Notice>
        )}
        {deploysItself && <Countdown verb="Deploys" onKey={() => setTouched(true)} />}
      </div>
    </FormDialog>
  )
}

function actionFor(about: { project: string; deploysItself: boolean; isRisky: boolean }): string {
  if (about.deploysItself) return 'Deploy now'
  if (!about.project) return 'Create and deploy'
  return about.isRisky ? 'Deploy anyway' : 'Deploy'
}

interface NewNameProps {
  name: string
  error: string | undefined
  onChange: (name: string) => void
}

function NewName({ name, error, onChange }: NewNameProps): ReactNode {
  return (
    <>
      <NameField placeholder="my-site" value={name} error={error} onChange={onChange} />
      <p className={styles.url}>
        It will be at <span>{bareUrl(siteUrl(name || 'my-site'))}</span>
      </p>
    </>
  )
}

interface ProjectChoiceProps {
  org: string | undefined
  value: string
  onChoose: (name: string) => void
}

/** A new project, or one of those that are there. */
function ProjectChoice({ org, value, onChoose }: ProjectChoiceProps): ReactNode {
  const names = useNamesOf(org)
  if (!names?.length) return null
  const options = [
    { value: '', title: org ? `A new project in ${org}` : 'A new project' },
    ...names.map(name => ({ value: name, title: name })),
  ]
  return <SelectField label="Deploy to" value={value} options={options} onChoose={onChoose} />
}

type Destination = 'production' | 'preview'

interface DestinationChoiceProps {
  project: string
  destination: Destination
  branch: string
  onDestination: (destination: Destination) => void
  onBranch: (branch: string) => void
}

function DestinationChoice({
  project,
  destination,
  branch,
  onDestination,
  onBranch,
}: DestinationChoiceProps): ReactNode {
  return (
    <>
      <Choices
        legend="Deploy as"
        name="destination"
        value={destination}
        choices={[
          {
            value: 'production',
            title: 'Production',
            note: `Visitors of ${bareUrl(siteUrl(project))} see it at once.`,
          },
          { value: 'preview', title: 'Preview', note: 'It gets a URL of its own. You can promote it later.' },
        ]}
        onChoose={onDestination}
      />
      {destination === 'preview' && (
        <Field
          label="Branch"
          name="branch"
          look="mono"
          maxLength={255}
          value={branch}
          hint="The URL of the preview has this name in it. The next preview with the same name replaces it there."
          onChange={event => onBranch(event.target.value)}
        />
      )}
    </>
  )
}

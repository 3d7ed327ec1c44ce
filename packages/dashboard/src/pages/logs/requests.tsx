// The requests to a site, newest first, as they come in.
import type { ProjectDetail } from '@svc/contract'
import { useEffect, useMemo, useState } from 'react'
import { codeOf } from '../../api.ts'
import { Button, SiteButton } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { LogBox } from '../../components/log-box.tsx'
import { Notice } from '../../components/notice.tsx'
import { Trouble } from '../../components/trouble.tsx'
import {
  ChoiceFilter,
  DeploymentFilter,
  FilterBar,
  type Filters,
  HostFilter,
  RangeFilter,
  rangeIn,
  TextFilter,
  useFilters,
} from './filter-bar.tsx'
import { Fed, LiveState, NothingMatches, OlderButton, PauseButton } from './log-parts.tsx'
import { RequestFeed } from './request-feed.ts'
import type { RequestList } from './request-list.ts'
import { RequestHeadings, RequestRow } from './request-row.tsx'

const methods = [
  { value: '', title: 'Every method' },
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(value => ({ value, title: value })),
]

const statuses = [
  { value: '', title: 'Every status' },
  { value: '2xx', title: '2xx Success' },
  { value: '3xx', title: '3xx Redirects' },
  { value: '4xx', title: '4xx Client errors' },
  { value: '5xx', title: '5xx Server errors' },
]

export function Requests({ project }: { project: ProjectDetail }) {
  const filters = useFilters()
  const [isPaused, setPaused] = useState(false)
  // Here, so that an open row stays open while the list is loaded with another filter.
  const [opened, setOpened] = useState<string>()
  const [status, method, host] = [filters.get('status'), filters.get('method'), filters.get('host')]
  const [path, deployment, request] = ['path', 'deployment', 'request'].map(filters.get)
  const { range, from, to } = rangeIn(filters)
  const feed = useMemo(
    () =>
      new RequestFeed(project.name, {
        ...{ status, method, host, path, deployment, request },
        time: { range, from, to },
      }),
    [project.name, status, method, host, path, deployment, request, range, from, to],
  )
  const { list, isSampled, error } = feed.view.use()
  const isOff = codeOf(error) === 'stats_unavailable'
  useEffect(() => (isPaused || isOff ? undefined : feed.run()), [feed, isPaused, isOff])

  if (isOff)
    return (
      <Trouble title="Requests are not logged">
        The operator of this platform has switched analytics off (SVCD_ANALYTICS=off).
      </Trouble>
    )
  return (
    <>
      <FilterBar label="Filter requests">
        <TextFilter filters={filters} name="path" label="Path begins with" placeholder="Path begins with…" />
        <ChoiceFilter filters={filters} name="status" label="Status" options={statuses} />
        <ChoiceFilter filters={filters} name="method" label="Method" options={methods} />
        <HostFilter filters={filters} requests={list?.rows ?? []} />
        <DeploymentFilter filters={filters} deployments={project.deployments} />
        {request && (
          <Button size="small" onClick={() => filters.set('request', '')}>
            Only {request}: show all
          </Button>
        )}
        <RangeFilter filters={filters} kept="3 days" />
        <PauseButton isPaused={isPaused} setPaused={setPaused} />
        <LiveState look={isPaused ? 'off' : 'on'}>{isPaused ? 'Paused' : 'Live'}</LiveState>
      </FilterBar>
      {isSampled && (
        <Notice tone="info">
          This is a sample. There were more requests than the log keeps: up to 5 a second of each kind
          (successful, 4xx, 5xx). Analytics counts them all.
        </Notice>
      )}
      <Fed feed={feed} view={list} error={error} label="Loading the requests">
        {loaded => <Listed {...{ feed, list: loaded, project, filters, opened, setOpened }} />}
      </Fed>
    </>
  )
}

interface ListedProps {
  feed: RequestFeed
  list: RequestList
  project: ProjectDetail
  filters: Filters
  /** The id of the request whose details are shown. */
  opened: string | undefined
  setOpened: (id: string | undefined) => void
}

function Listed({ feed, list, project, filters, opened, setOpened }: ListedProps) {
  if (list.rows.length === 0) return <Nothing project={project} filters={filters} />
  return (
    <LogBox
      label="Requests"
      newest="top"
      rows={list.rows}
      keyOf={({ id }) => id}
      head={<RequestHeadings />}
      foot={list.cursor && <OlderButton load={() => feed.older()}>Show older requests</OlderButton>}
    >
      {request => (
        <RequestRow
          project={project.name}
          request={request}
          filters={filters}
          isOpen={request.id === opened}
          onToggle={() => setOpened(request.id === opened ? undefined : request.id)}
        />
      )}
    </LogBox>
  )
}

function Nothing({ project, filters }: { project: ProjectDetail; filters: Filters }) {
  if (!filters.isEmpty) return <NothingMatches what="request" filters={filters} />
  return (
    <Empty title="No requests in the last three days">
      {project.active_deployment_id ? (
        <>
          <p>
            Every request to this site shows up here within five seconds: its path, status, duration and cache
            result. Nothing about the visitor is stored.
          </p>
          <div>
            <SiteButton href={project.url}>Open site</SiteButton>
          </div>
        </>
      ) : (
        <>
          <p>
            Nothing is deployed yet. Once this project is live, requests show up here within five seconds.
          </p>
          <Command>{`svc deploy --project ${project.name}`}</Command>
        </>
      )}
    </Empty>
  )
}

// The schema as types. Text ids, integer milliseconds, integers 0 and 1, JSON as text: the same on both engines.

import type { AccessCodeRow, PreviewAccessRow, PreviewLinkRow } from './access/rows.ts'
import type { AiMonthRow, AiReservationRow, AiUsageRow } from './ai/rows.ts'
import type { AppGenerationRow, AppInstanceRow } from './apps/rows.ts'
import type { BillingProfileRow, InvoiceDocumentRow, InvoiceRow } from './billing/invoice-rows.ts'
import type {
  BillingCustomerRow,
  BillingMailRow,
  DeletedUsageRow,
  OwnerLimitRow,
  PaymentEventRow,
  PaymentRow,
  SubscriptionRow,
} from './billing/rows.ts'
import type {
  GitHubDeliveryRow,
  GitHubInstallationRow,
  GitHubPullRow,
  GitHubReportRow,
  GitHubUserRow,
} from './builds/github/rows.ts'
import type {
  BuildLogRow,
  BuildRow,
  DeployHookRow,
  GitHostRepositoryRow,
  ProjectRepoRow,
  RepositoryBranchRow,
  RepositoryPackRow,
  RepositoryRefRow,
  RepositoryRow,
  RepositoryStateRow,
} from './builds/rows.ts'
import type { CronRow, CronRunRow, CronSecretRow } from './crons/rows.ts'
import type { AppDatabaseRow } from './databases/rows.ts'
import type {
  DeploymentRow,
  DiscardedPackRow,
  ProductionLockRow,
  StoredTotalRow,
} from './deployments/rows.ts'
import type { DiscardedDiskRow, DiskRow, DiskSnapshotRow } from './disk/rows.ts'
import type {
  CertificateOrderRow,
  CertificateRow,
  DomainReleaseRow,
  DomainRow,
  TlsKeyRow,
} from './domains/rows.ts'
import type { EnvVarRow } from './env/rows.ts'
import type { FormRow, MailRecipientRow, SubmissionRow } from './forms/rows.ts'
import type {
  AccountInviteRow,
  AccountRow,
  DeviceLoginRow,
  EmailChangeRow,
  PasskeyChallengeRow,
  PasskeyRow,
  RecoveryCodeRow,
  SignInChallengeRow,
  TokenRow,
  TotpSecretRow,
} from './identity/rows.ts'
import type { LogRequestRow, RequestRow } from './logs/rows.ts'
import type {
  NotificationDeliveryRow,
  NotificationIncidentRow,
  NotificationSecretRow,
  NotificationTargetRow,
} from './notifications/rows.ts'
import type { InviteRow, MemberRow, OrgIconRow, OrgRow, SharedInstallationRow } from './orgs/rows.ts'
import type {
  AuditRow,
  BackupKeyRow,
  BackupRow,
  ChangeRow,
  CheckResultRow,
  CounterRow,
  DamagedPackRow,
  FeedFollowerRow,
  JobRow,
  NodeInviteRow,
  NodeRow,
  OperatorSettingRow,
  PlatformRow,
  RateLimitRow,
  ScrubRow,
  SweepStepRow,
} from './platform/rows.ts'
import type {
  FormerNameRow,
  ProjectNodeRow,
  ProjectPictureRow,
  ProjectRow,
  RetentionRow,
  StarRow,
  SuspensionRow,
} from './projects/rows.ts'
import type {
  ChartPointRow,
  StatsHourRow,
  StatsNameRow,
  StatsSaltRow,
  StatsVisitorRow,
} from './stats/rows.ts'

export type * from './access/rows.ts'
export type * from './ai/rows.ts'
export type * from './apps/rows.ts'
export type * from './billing/invoice-rows.ts'
export type * from './billing/rows.ts'
export type * from './builds/github/rows.ts'
export type * from './builds/rows.ts'
export type * from './crons/rows.ts'
export type * from './databases/rows.ts'
export type * from './deployments/rows.ts'
export type * from './disk/rows.ts'
export type * from './domains/rows.ts'
export type * from './env/rows.ts'
export type * from './forms/rows.ts'
export type * from './identity/rows.ts'
export type * from './logs/rows.ts'
export type * from './notifications/rows.ts'
export type * from './orgs/rows.ts'
export type * from './platform/rows.ts'
export type * from './projects/rows.ts'
export type * from './stats/rows.ts'

export interface Tables {
  former_names: FormerNameRow
  stored_totals: StoredTotalRow
  repositories: RepositoryRow
  repository_branches: RepositoryBranchRow
  repository_states: RepositoryStateRow
  repository_refs: RepositoryRefRow
  repository_packs: RepositoryPackRow
  project_repos: ProjectRepoRow
  builds: BuildRow
  build_logs: BuildLogRow
  github_users: GitHubUserRow
  github_installations: GitHubInstallationRow
  github_deliveries: GitHubDeliveryRow
  github_reports: GitHubReportRow
  git_host_repositories: GitHostRepositoryRow
  github_pulls: GitHubPullRow
  deploy_hooks: DeployHookRow
  accounts: AccountRow
  account_invites: AccountInviteRow
  tokens: TokenRow
  device_logins: DeviceLoginRow
  email_changes: EmailChangeRow
  totp_secrets: TotpSecretRow
  recovery_codes: RecoveryCodeRow
  passkeys: PasskeyRow
  passkey_challenges: PasskeyChallengeRow
  sign_in_challenges: SignInChallengeRow
  orgs: OrgRow
  members: MemberRow
  projects: ProjectRow
  project_pictures: ProjectPictureRow
  stars: StarRow
  suspensions: SuspensionRow
  project_nodes: ProjectNodeRow
  project_retention: RetentionRow
  production_locks: ProductionLockRow
  preview_access: PreviewAccessRow
  preview_links: PreviewLinkRow
  operator_settings: OperatorSettingRow
  backup_keys: BackupKeyRow
  disks: DiskRow
  discarded_disks: DiscardedDiskRow
  disk_snapshots: DiskSnapshotRow
  deployments: DeploymentRow
  changes: ChangeRow
  feed_followers: FeedFollowerRow
  nodes: NodeRow
  node_invites: NodeInviteRow
  jobs: JobRow
  check_results: CheckResultRow
  scrubs: ScrubRow
  backups: BackupRow
  damaged_packs: DamagedPackRow
  sweep_steps: SweepStepRow
  rate_limits: RateLimitRow
  counters: CounterRow
  org_icons: OrgIconRow
  invites: InviteRow
  shared_installations: SharedInstallationRow
  subscriptions: SubscriptionRow
  payments: PaymentRow
  billing_customers: BillingCustomerRow
  payment_events: PaymentEventRow
  billing_mails: BillingMailRow
  env_vars: EnvVarRow
  access_codes: AccessCodeRow
  audit: AuditRow
  domains: DomainRow
  domain_releases: DomainReleaseRow
  certificates: CertificateRow
  tls_keys: TlsKeyRow
  certificate_orders: CertificateOrderRow
  discarded_packs: DiscardedPackRow
  platform: PlatformRow
  forms: FormRow
  mail_recipients: MailRecipientRow
  submissions: SubmissionRow
  chart_points: ChartPointRow
  stats_hours: StatsHourRow
  stats_names: StatsNameRow
  stats_visitors: StatsVisitorRow
  stats_salts: StatsSaltRow
  app_instances: AppInstanceRow
  app_generations: AppGenerationRow
  log_requests: LogRequestRow
  requests: RequestRow
  crons: CronRow
  app_databases: AppDatabaseRow
  cron_runs: CronRunRow
  cron_secrets: CronSecretRow
  notification_targets: NotificationTargetRow
  notification_secrets: NotificationSecretRow
  notification_deliveries: NotificationDeliveryRow
  notification_incidents: NotificationIncidentRow
  billing_profiles: BillingProfileRow
  invoices: InvoiceRow
  invoice_documents: InvoiceDocumentRow
  ai_usage: AiUsageRow
  ai_months: AiMonthRow
  ai_reservations: AiReservationRow
  owner_limits: OwnerLimitRow
  deleted_usage: DeletedUsageRow
}

import { allResources } from '@horarium/core';
import { expect } from 'chai';
import { mountPaths } from '../../adapters/http/route-paths.ts';
import { apiRoutes } from '../../adapters/http/routes/api-routes.ts';
import { docsRoutes } from '../../plugins/docs/plugin.ts';
import { routeRegistry } from '../support/http/plugin-registries.ts';

/** The rows of the specification's list of endpoints, written from it: method, path, authentication. */
const specified = `
GET /app/{appId}.{suffix}
POST /app/
GET /apps.{suffix}
GET /company/{companyId}.{suffix}
POST /company/
GET /companies.{suffix}
GET /runtemplate/{runTemplateId}.{suffix}
POST /runtemplate/
GET /runtemplates.{suffix}
GET /job/{jobId}.{suffix}
POST /job/
GET /jobs.{suffix}
GET /user/{userId}.{suffix}
POST /user/
GET /users.{suffix}
GET /user/{userId}/roles.{suffix}
POST /user/{userId}/roles/
GET /credential/{credentialId}.{suffix}
POST /credential/{credentialId}.{suffix}
GET /credentials.{suffix}
GET /credential_type/{credentialTypeID}.{suffix}
POST /credential_type/{credentialTypeID}.{suffix}
GET /credential_types.{suffix}
GET /topic/{topicId}.{suffix}
POST /topic/{topicId}.{suffix}
GET /topics.{suffix}
GET /task/{taskId}.{suffix}
GET /tasks.{suffix}
GET /auditlog/{auditLogId}.{suffix}
GET /auditlog.{suffix}
GET /eventrule/{eventRuleId}.{suffix}
POST /eventrule/
DELETE /eventrule/{eventRuleId}.{suffix}
GET /eventrules.{suffix}
GET /eventsource/{eventSourceId}.{suffix}
POST /eventsource/
DELETE /eventsource/{eventSourceId}.{suffix}
GET /eventsources.{suffix}
POST /eventsource/{eventSourceId}/test.{suffix}
GET /company/{companyId}/users.{suffix}
POST /company/{companyId}/user/
DELETE /company/{companyId}/user/{userId}
GET /login.{suffix} none
POST /login.{suffix} none
GET /ping.{suffix} none
GET /status
GET /index.{suffix}
`
  .trim()
  .split('\n');

/** What the contract adds to them. */
const added = `
POST /app/{appId}.{suffix}
DELETE /app/{appId}.{suffix}
POST /company/{companyId}.{suffix}
DELETE /company/{companyId}.{suffix}
POST /runtemplate/{runTemplateId}.{suffix}
DELETE /runtemplate/{runTemplateId}.{suffix}
GET /runtemplate/{runTemplateId}/preview.{suffix}
POST /job/{jobId}.{suffix}
DELETE /job/{jobId}.{suffix}
GET /job/{jobId}/output.{suffix}
GET /artifact/{artifactId}
POST /user/{userId}.{suffix}
DELETE /user/{userId}.{suffix}
POST /credential/
DELETE /credential/{credentialId}.{suffix}
POST /credential_type/
DELETE /credential_type/{credentialTypeID}.{suffix}
POST /topic/
DELETE /topic/{topicId}.{suffix}
GET /tasks/summary.{suffix}
GET /tasks/timeline.{suffix}
GET /summary.{suffix}
GET /outlook.{suffix}
GET /changes
GET /runtemplate/{runTemplateId}/why.{suffix}
GET /task/{taskId}/why.{suffix}
GET /job/{jobId}/why.{suffix}
POST /auditlog/{auditLogId}/undo.{suffix}
POST /task/{taskId}/waive.{suffix}
POST /runtemplate/{runTemplateId}/backfill.{suffix}
GET /calendars.{suffix}
GET /calendar/{calendarId}.{suffix}
POST /calendar/
POST /calendar/{calendarId}.{suffix}
DELETE /calendar/{calendarId}.{suffix}
GET /maintenancewindows.{suffix}
GET /maintenancewindow/{maintenanceWindowId}.{suffix}
POST /maintenancewindow/
POST /maintenancewindow/{maintenanceWindowId}.{suffix}
DELETE /maintenancewindow/{maintenanceWindowId}.{suffix}
GET /pauses.{suffix}
GET /pause/{pauseId}.{suffix}
POST /pause/
POST /pause/{pauseId}.{suffix}
DELETE /pause/{pauseId}.{suffix}
GET /events.{suffix}
GET /event/{eventId}.{suffix}
POST /event/{eventId}/retry.{suffix}
GET /event/{eventId}/payload.{suffix}
POST /eventrule/{eventRuleId}.{suffix}
POST /eventsource/{eventSourceId}.{suffix}
GET /company/{companyId}/user/{userId}.{suffix}
POST /company/{companyId}/user/{userId}.{suffix}
GET /deliveries.{suffix}
GET /delivery/{deliveryId}.{suffix}
POST /delivery/{deliveryId}/retry.{suffix}
POST /logout
POST /clock/confirm.{suffix}
GET /healthz none
GET /readyz none
GET /openapi.{suffix}
GET /docs none
GET /docs/api none
GET /docs/search none
GET /docs/{section}/{topic} none
GET /docs/alerts.yml none
GET /docs/dashboard.json none
`
  .trim()
  .split('\n');

describe('the table of routes', () => {
  const routes = apiRoutes(allResources, routeRegistry('docs', ...docsRoutes));
  const rows = routes.map(({ method, path, authentication }) =>
    authentication === 'none' ? `${method} ${path} none` : `${method} ${path}`,
  );

  it('holds all 47 rows of the specification, each once', () => {
    expect(specified).to.have.length(47);
    expect(rows.filter((row) => specified.includes(row))).to.have.members(specified);
  });

  it('holds what the contract adds, and nothing else', () => {
    expect(rows.filter((row) => !specified.includes(row))).to.have.members(added);
  });

  it('says of each what it is for, and mounts none twice', () => {
    for (const { path, summary: purpose } of routes) expect(purpose, path).to.match(/^[A-Z].*[^.]$/);
    const mounted = routes.flatMap((route) => mountPaths(route).map((path) => `${route.method} ${path}`));
    expect(new Set(mounted).size).to.equal(mounted.length);
  });
});

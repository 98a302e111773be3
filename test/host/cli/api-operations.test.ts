import { expect } from 'chai';
import { standardModel } from '../../../host/model.ts';
import { type ApiOperation, operationsOf } from '../../../plugins/docs/api/operations.ts';
import { helpedCommands } from '../../support/docs/help-program.ts';
import { TestCli } from '../../support/program/test-cli.ts';

/** The commands for operations whose path does not name them. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  saveJob: ['runtemplate:run'],
  updateJob: ['job:change', 'job:cancel', 'job:claim', 'job:report'],
  downloadArtifact: ['job:artifact'],
  getRoles: ['userrole:list'],
  setRoles: ['userrole:save', 'userrole:delete'],
  listMembers: ['companyuser:list'],
  getMember: ['companyuser:get'],
  saveMember: ['companyuser:save'],
  updateMember: ['companyuser:save'],
  deleteMember: ['companyuser:delete'],
  login: ['token:generate'],
  loginWithBasic: ['token:generate'],
  logout: ['token:revoke'],
  listEndpoints: ['routes'],
};

const handbook = 'pages of the handbook, which "horarium help" prints';
const probe = 'asks one process whether it lives; "horarium doctor" and "horarium status" answer people';
const pinged = 'sent by the work itself, which has no right but its address; "horarium job:report" is for people';

/** Why operations have no command. */
const withoutCommand: Readonly<Record<string, string>> = {
  readDocs: handbook,
  readDocsPage: handbook,
  searchDocs: handbook,
  readApiDocs: 'a page about the API, which "horarium openapi" describes',
  readAlertRules: 'a file for Prometheus, which gets it where it gets the metrics',
  readDashboard: 'a file for Grafana, beside that for Prometheus',
  getMetrics: 'the counters of one process, which a command has not',
  getHealth: probe,
  getReadiness: probe,
  ping: pinged,
  pingGET: pinged,
  pingPOST: pinged,
  pingEventGET: pinged,
  pingEventPOST: pinged,
  receiveWebhook: 'sent by other services, with a signature',
};

const names = standardModel.resources.map((resource) => resource.names);

/**
 * Returns the commands that an operation may have by its path: `/apps` is `app:list`, `POST /app` is `app:save`,
 * `/task/{taskId}/waive` is `task:waive` or `waive`, and `/status` is `status`.
 */
function commandsByPath({ method, path }: ApiOperation): string[] {
  const steps = path.replace('.{suffix}', '').split('/').filter(Boolean);
  const [word = '', verb, ...further] = steps.filter((step) => !step.startsWith('{'));
  if (further.length > 0) return [];
  const kind = names.find(({ singular, plural }) => word === singular || word === plural)?.singular;
  if (verb !== undefined) return [`${kind ?? word}:${verb}`, verb];
  if (kind === undefined) return [word];
  return [`${kind}:${{ GET: steps.length > 1 ? 'get' : 'list', POST: 'save', DELETE: 'delete' }[method]}`];
}

describe('The operations of the HTTP API', () => {
  let operations: readonly ApiOperation[];
  let commands: readonly string[];
  before(async () => {
    using cli = new TestCli();
    operations = operationsOf(JSON.parse((await cli.command('openapi')).out));
    commands = await helpedCommands();
  });

  const isNamedByPath = (operation: ApiOperation) =>
    commandsByPath(operation).some((command) => commands.includes(command));

  it('have a command each, but those whose callers are no people', () => {
    expect(operations.length).to.be.above(100);
    const missing = operations.filter(
      (operation) =>
        !isNamedByPath(operation) &&
        otherNames[operation.operationId] === undefined &&
        withoutCommand[operation.operationId] === undefined,
    );
    expect(missing.map(({ operationId, method, path }) => `${operationId}: ${method} ${path}`)).to.deep.equal([]);
  });

  it('are listed here only if they exist and their path names no command', () => {
    const listed = [...Object.keys(otherNames), ...Object.keys(withoutCommand)];
    const unnamed = operations.filter((operation) => !isNamedByPath(operation)).map(({ operationId }) => operationId);
    expect(listed.toSorted()).to.deep.equal(unnamed.toSorted());
    expect(commands).to.include.members(Object.values(otherNames).flat());
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { cliDatabases } from '../../support/program/cli-databases.ts';
import type { TestCli } from '../../support/program/test-cli.ts';

const file = `# what Acme runs
companies:
  - code: acme
    name: Acme
apps:
  - &dump
    code: dump
    name: Dump
    executable: 'true'
    environment: { PASSWORD: { type: password }, DATABASE: {} }
runtemplates:
  - company_id: acme
    code: nightly
    name: "no"
    app_id: dump
    interval: daily
    timezone: UTC
    timeout: 30m
    environment:
      DATABASE: shop
      PASSWORD: ••••••••
    note: |
      first line
      second line
eventrules:
`;

for (const { database, openCli } of cliDatabases)
  describe(`The configuration as YAML on ${database}`, () => {
    let cli: TestCli;
    before(async () => {
      cli = await openCli();
      write('acme.yaml', file);
    });
    after(() => cli[Symbol.dispose]());

    function write(name: string, text: string): void {
      writeFileSync(join(cli.folder, name), text);
    }
    const read = (name: string) => readFileSync(join(cli.folder, name), 'utf8');

    it('makes a service as it says', async () => {
      const { code, out, err } = await cli.command('apply acme.yaml');
      expect([code, out]).to.deep.equal([
        0,
        'create      app dump\ncreate      company acme\ncreate      run template acme/nightly\n',
      ]);
      expect(err).to.equal(
        'Warning: run template acme/nightly: environment.PASSWORD is secret and not set here; "horarium runtemplate:save --id 1 --json FILE" sets it.\n' +
          '3 created, 0 unchanged.\n',
      );
      const input = JSON.stringify({ environment: { DATABASE: 'shop', PASSWORD: 'a long secret' } });
      expect((await cli.command('runtemplate:save --id nightly --json -', { input })).code).to.equal(0);
      const { json } = await cli.command('auditlog:list --entity-type RunTemplate --format json');
      expect(json[0]).to.deep.include({ action: 'update', channel: 'cli' });
      expect(json[1]).to.deep.include({ action: 'create', channel: 'cli', entity_id: 1 });
    });

    it('is written again without secrets, and as a file that changes nothing', async () => {
      const { out, err } = await cli.command('export all.yaml');
      expect([out, err]).to.deep.equal(['', '3 records.\n']);
      expect(read('all.yaml'))
        .to.match(/^# The configuration of Horarium/)
        .and.not.contain('secret\n');
      expect(read('all.yaml').slice(read('all.yaml').indexOf('runtemplates:'))).to.equal(`runtemplates:
  - company_id: acme
    code: nightly
    name: "no"
    app_id: dump
    interval: daily
    timezone: UTC
    timeout: 1800
    environment:
      DATABASE: shop
      PASSWORD: ••••••••
    note: |
      first line
      second line
`);
      expect((await cli.command('export -')).out).to.equal(read('all.yaml'));
      expect((await cli.command('export all.yaml')).code).to.equal(0);
      for (const [name, said] of [
        ['acme.yaml', 'acme.yaml exists and is no export: choose another name.\n'],
        ['.', '. is no file that an export could replace. - stands for standard output.\n'],
        ['missing/all.yaml', 'missing/all.yaml cannot be written (ENOENT).\n'],
      ] as const)
        expect(await cli.command(`export ${name}`)).to.deep.include({ code: 1, err: said });
      expect(read('acme.yaml')).to.equal(file);
      const { out: plan, err: counts } = await cli.command('apply --prune all.yaml');
      expect([plan, counts]).to.deep.equal(['', '3 unchanged.\n']);
      expect(await cli.command('apply -', { input: read('all.yaml') })).to.deep.include({ code: 0, out: '' });
    });

    it('shows each value that a file would change, and changes nothing in a dry run', async () => {
      write('more.yaml', read('all.yaml').replace('shop', 'store').replace('timeout: 1800', 'max_attempts: 3'));
      const { code, out, err } = await cli.command('apply --dry-run more.yaml');
      expect([code, out]).to.deep.equal([
        0,
        `update      run template acme/nightly
              max_attempts: 1 → 3
              timeout: 1800 → (none)
              environment.DATABASE: shop → store
`,
      ]);
      expect(err).to.equal('1 to update, 2 unchanged.\nNothing was changed: this was a dry run.\n');
      expect((await cli.command('export -')).out).to.equal(read('all.yaml'));
    });

    it('shows which secret gets another value, and each value of a list', async () => {
      const text = read('all.yaml')
        .replace('PASSWORD: ••••••••', 'PASSWORD: another long value')
        .replace(
          '    timeout: 1800',
          '    timeout: 1800\n    on_failure: [{ action: webhook, url: "https://a.example/" }]',
        );
      write('secret.yaml', text);
      const { code, out, err } = await cli.command('apply --dry-run secret.yaml');
      expect(code, err).to.equal(0);
      expect(out)
        .to.match(/^ +on_failure\[0\]: \(none\) → \{.*"action":"webhook"/m)
        .and.match(/^ +environment\.PASSWORD: another secret$/m);
      expect(out).to.not.contain('another long value');
    });

    it('prints a plan for programs', async () => {
      write('topic.json', '{"topics": [{"name": "Finance"}]}');
      const { json } = await cli.command('apply --dry-run topic.json --format json');
      expect(json.dry_run).to.equal(true);
      expect(json.unchanged).to.equal(0);
      expect(json.changes[0]).to.deep.include({ action: 'create', kind: 'Topic', name: 'topic Finance', reason: null });
      expect(json.changes[0].changes).to.deep.equal({ name: [null, 'Finance'] });
    });

    it('reads several files as one, and names the line of each problem', async () => {
      write('a.yaml', 'topics:\n  - name: One\n---\ntopics:\n  - name: Two\n  - {nme: x}\n');
      write('b.yaml', '\n\nruntemplates:\n- {company_id: acme, name: X, app_id: dmp, interval: daily}\n');
      const { code, err } = await cli.command('apply a.yaml b.yaml');
      expect([code, err]).to.deep.equal([
        1,
        `a.yaml:6: Topic is invalid: nme is not a field of Topic. Did you mean name?; name is required
b.yaml:4: RunTemplate is invalid: app_id: there is no app “dmp”. Did you mean dump?
`,
      ]);
      expect((await cli.command('topic:list --format json')).json).to.deep.equal([]);
    });

    const wrong: Readonly<Record<string, readonly [text: string, message: string]>> = {
      'what is no map': ['- name: x\n', 'wrong.yaml:1: a file has lists of records by kind, such as "apps:".'],
      'a kind without a list': [
        'a: 1\napps: dump\n',
        'wrong.yaml:1: a must be a list of records, each after a hyphen.',
      ],
      'a record without fields': [
        'apps:\n  - dump\n',
        'wrong.yaml:2: a record of apps must have fields, such as "name: …".',
      ],
      'a key twice': ['topics: []\ntopics: []\n', 'wrong.yaml:2: Map keys must be unique.'],
      'no YAML': ['apps:\n  - name: "x\n', 'wrong.yaml:3: Missing closing "quote.'],
      'an alias without an anchor': [
        'apps:\n  - *dump\n',
        'wrong.yaml:2: an alias leads nowhere, to itself or to too much, or the data is nested too deeply.',
      ],
      'an alias to itself': [
        'topics:\n  - &x {name: A, description: *x}\n',
        'wrong.yaml:2: an alias leads nowhere, to itself or to too much, or the data is nested too deeply.',
      ],
      'a number that was meant as a text': [
        'apps:\n  - name: A\n    version: 0123\n',
        'wrong.yaml:3: a number is written as 123; a text needs quotes.',
      ],
      'a number that is too large': [
        'apps: [{name: 12345678901234567890}]\n',
        'wrong.yaml:1: a number is written as 12345678901234567000; a text needs quotes.',
      ],
      'a tag': ['apps:\n  - name: !secret x\n', 'wrong.yaml:2: Unresolved tag.'],
      'binary data': ['apps: [{name: !!binary aGVsbG8=}]\n', 'wrong.yaml:1: Unresolved tag.'],
      'another version of YAML': ['%YAML 1.1\n---\napps: []\n', 'wrong.yaml must be YAML 1.2, without a directive.'],
      'a secret after a wrong character, and does not show it': [
        'apps:\n  - name: |secret\n',
        'wrong.yaml:2: Block scalar header includes extra characters.',
      ],
      'a kind that there is none of': ['topcs:\n', 'topcs is no kind of the configuration. Did you mean topics?'],
      'a key that sets a prototype': [
        'topics:\n  - {__proto__: {name: x}}\n',
        'wrong.yaml:2: Topic is invalid: __proto__ is not a field of Topic; expected one of id, created_at, updated_at, name, description, color; name is required',
      ],
    };
    for (const [what, [text, message]] of Object.entries(wrong))
      it(`refuses ${what}`, async () => {
        write('wrong.yaml', text);
        const { code, err } = await cli.command('apply wrong.yaml');
        expect([code, err]).to.deep.equal([1, `${message}\n`]);
      });
  });

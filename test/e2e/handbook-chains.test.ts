import { expect } from 'chai';
import { PageRunner, prepareFolder } from '../support/docs/page-runner.ts';
import { eventually } from '../support/mocha/eventually.ts';

describe('The page on chains', () => {
  it('chains a check to a backup, and hands its file and its result over', async () => {
    using prepared = await prepareFolder();
    await using runner = await PageRunner.start(prepared);
    await runner.runPage('react/chains');
    const job = await eventually('the end of the check', async () => {
      const got = await runner.cli.command('job:get 2 --format json');
      return got.code === 0 && got.json.state === 'succeeded' && got.json;
    });
    expect([job.trigger, job.event_id]).to.deep.equal(['chain', 1]);
    expect((await runner.cli.command('job:output 2')).out).to.equal('1 table\norders\n');
    expect((await runner.cli.command('event:get 1')).out).to.match(/succeeded/);
  });
});

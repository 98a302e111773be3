import { noticeOf } from '@horarium/core/contracts';
import {
  actionEvents,
  fillNotice,
  noticeText,
  noticeValueNames,
  noticeValues,
  serializeNotice,
} from '@horarium/core/plugin';
import { expect } from 'chai';

describe('The text of a notice', () => {
  it('says what, for whom, why, when, and where to read more', () => {
    const { subject, text } = noticeText(noticeOf('on_failure'));
    expect(subject).to.equal('[Horarium] Acme Inc.: Nightly backup of the shop has failed');
    expect(text).to.equal(
      `Nightly backup of the shop of Acme Inc. has failed.

Why:       the last attempt failed (exit code 3); all 3 attempts are used up
When:      2026-11-20T23:31:12.000Z
App:       Database backup
Window:    2026-11-20T00:00:00.000Z to 2026-11-21T00:00:00.000Z
Deadline:  2026-11-21T00:00:00.000Z
Attempts:  3
Exit code: 3

More: https://horarium.example/api/v1/task/12.html
`,
    );
  });

  it('ends with the last lines that the job wrote', () => {
    const { text } = noticeText(noticeOf('on_failure', { output: 'cannot read orders.csv\n\tat line 3' }));
    expect(text).to.contain(
      '\nExit code: 3\n\nThe end of its output:\n  cannot read orders.csv\n  \tat line 3\n\nMore:',
    );
    expect(fillNotice('{output}', noticeOf('on_failure', { output: 'a\nb' }))).to.equal('a\nb');
  });

  it('says how often a template has failed in a row, and after how many failures it has recovered', () => {
    const failing = { failures: 12, failing_since: Date.UTC(2026, 10, 19) };
    expect(noticeText(noticeOf('on_failure', failing)).text).to.contain(
      'Failing:   12 in a row by then, since 2026-11-19',
    );
    expect(noticeText(noticeOf('on_recovered', failing)).subject).to.contain('has recovered after 12 failures');
    expect(noticeText(noticeOf('on_success')).text).not.to.contain('in a row by then');
  });

  it('may be worded by its user, in one pass, on one line in the subject', () => {
    const notice = noticeOf('on_missed', { reason: '{link}' });
    expect(fillNotice('{reason} {unknown} {task_id}', notice)).to.equal('{link} {unknown} 12');
    expect(noticeText(notice, { subject: 'a\n{template}', text: '{what}' })).to.deep.equal({
      subject: 'a Nightly backup of the shop',
      text: 'was missed',
    });
  });

  it('stays short, however often its user repeats a value', () => {
    const notice = noticeOf('on_missed', { reason: 'x'.repeat(1000) });
    const { text } = noticeText(notice, { text: '{details}'.repeat(1800) });
    expect(text).to.have.length.lessThan(64 * 1024 + 1800);
    expect(text).to.match(/…$/);
  });

  it('has every value that a message may name, and no undefined one', () => {
    for (const event of actionEvents) {
      const values = noticeValues(
        noticeOf(event, { task: null, job: null, link: null, reason: null, failing_since: null }),
      );
      expect(Object.keys(values)).to.have.members([...noticeValueNames]);
      expect(JSON.stringify(values)).not.to.match(/undefined|null|NaN/);
    }
  });

  it('gives machines times as RFC 3339', () => {
    expect(serializeNotice(noticeOf('on_failure'))).to.deep.include({ occurred_at: '2026-11-20T23:31:12.000Z' });
  });
});

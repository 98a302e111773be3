import Mocha from 'mocha';

/** Reports dots and failures, and on the very last line how many tests passed, failed and were skipped. */
export default class CiReporter extends Mocha.reporters.Dot {
  override epilogue(): void {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    Mocha.reporters.Base.consoleLog(`${passes} passed, ${failures} failed, ${pending} skipped`);
  }
}

import { ISessionContext } from '@jupyterlab/apputils';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { JSONObject, PromiseDelegate, UUID } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { PANEL, REGISTER } from './bootstrap';
import { IHello } from './protocol';

const TARGET = 'torchferry';
/** As in `jupyter_ext/panel/__init__.py`. */
const PROTOCOL = 3;
/** How often a question is asked whose answers are lost. */
const ATTEMPTS = 3;
const PATIENCE = 5_000; // milliseconds
const LOST = 'The kernel does not answer; its log may give the reason.';

export type LinkState = 'no-kernel' | 'connecting' | 'ready' | 'failed';

/** An answer of the kernel, with the bytes that came with it. */
export interface IAnswer<T> {
  content: T;
  bytes: Uint8Array[];
}

/** A question that is asked, and the parts of the files that have come with its answer so far. */
interface IPending {
  answer: PromiseDelegate<IAnswer<any>>;
  files: Uint8Array[][];
  doing?: (step: string) => void;
}

/** A message of the kernel that is meant for the person; `trail` is a traceback, if any. */
export class KernelProblem extends Error {
  constructor(
    message: string,
    readonly trail?: string
  ) {
    super(message);
  }
}

/**
 * The comm to the kernel of one notebook. While it is wanted it is kept up over changes and restarts
 * of that kernel; before, nothing is sent there: a notebook that is just opened runs nothing.
 */
export class KernelLink implements IDisposable {
  constructor(private _context: ISessionContext) {
    _context.kernelChanged.connect(this._onKernelChanged, this);
    _context.statusChanged.connect(this._onStatusChanged, this);
  }

  /** Whether someone looks at what the kernel answers. */
  get wanted(): boolean {
    return this._wanted || this._awaited > 0;
  }
  set wanted(wanted: boolean) {
    const isNew = wanted && !this._wanted;
    this._wanted = wanted;
    if (isNew && !this._comm) {
      void this._connect();
    }
  }

  get state(): LinkState {
    return this._state;
  }

  /** Why the link failed. */
  get problem(): string {
    return this._problem;
  }

  get hello(): IHello | null {
    return this._hello;
  }

  get stateChanged(): ISignal<this, LinkState> {
    return this._stateChanged;
  }

  /** Resolves once there is a kernel that answers; rejects where there can be none. */
  async ready(): Promise<void> {
    this._awaited += 1;
    try {
      await this._settled();
    } finally {
      this._awaited -= 1;
    }
  }

  private _settled(): Promise<void> {
    if (this._state === 'ready') {
      return Promise.resolve();
    }
    void this._connect();
    return new Promise((resolve, reject) => {
      const see = () => {
        if (this._state === 'ready') {
          resolve();
        } else if (this._state === 'failed') {
          reject(new KernelProblem(this._problem));
        } else {
          return;
        }
        this._stateChanged.disconnect(see);
      };
      this._stateChanged.connect(see);
    });
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._drop('The notebook was closed.');
    Signal.clearData(this);
  }

  /**
   * Ask the kernel; rejects with a `KernelProblem` on an error there, or when the link is lost.
   *
   * A question whose answer was lost is asked again: the kernel may be asked any of them twice.
   */
  request<T>(what: string, fields: JSONObject = {}): Promise<IAnswer<T>> {
    const comm = this._comm;
    if (!comm) {
      return Promise.reject(new KernelProblem('The notebook has no kernel.'));
    }
    const { message, answer } = this._prepare<T>({ ...fields, do: what });
    void this._send(comm, message);
    return answer;
  }

  private async _send(
    comm: Kernel.IComm,
    message: { id: string } & JSONObject
  ): Promise<void> {
    for (let time = 0; time < ATTEMPTS; time++) {
      try {
        await Promise.race([comm.send(message).done, this._silence(message.id)]);
      } catch {
        // The kernel is gone, and every question with it.
        return;
      }
      if (!this._pending.has(message.id)) {
        return;
      }
    }
    this._reject(message.id, LOST);
  }

  /**
   * Ask for something that runs where cells run: after the running cell, and open to interrupts.
   * `doing` gets the steps that the kernel reports.
   */
  async requestAsCell<T>(
    what: string,
    fields: JSONObject = {},
    doing?: (step: string) => void
  ): Promise<IAnswer<T>> {
    const kernel = this._context.session?.kernel;
    const comm = this._comm;
    if (!kernel || !comm) {
      throw new KernelProblem('The notebook has no kernel.');
    }
    const { message, answer } = this._prepare<T>({ ...fields, do: what }, doing);
    // The answer is awaited below; a loss of the link before that is not unhandled.
    answer.catch(() => undefined);
    // A string of JSON, written as JSON once more, is a literal of Python.
    const text = JSON.stringify(JSON.stringify(message));
    await this._execute(kernel, `${PANEL}.as_cell('${comm.commId}', ${text})`);
    this._reject(message.id, LOST);
    return answer;
  }

  private _prepare<T>(fields: JSONObject, doing?: (step: string) => void): {
    message: { id: string } & JSONObject;
    answer: Promise<IAnswer<T>>;
  } {
    const id = UUID.uuid4();
    const answer = new PromiseDelegate<IAnswer<any>>();
    this._pending.set(id, { answer, files: [], doing });
    return { message: { ...fields, id }, answer: answer.promise };
  }

  private _onKernelChanged(): void {
    this._drop('The connection to the kernel is being restored.');
    this._setState('no-kernel');
    if (this.wanted) {
      void this._connect();
    }
  }

  private _onStatusChanged(_: ISessionContext, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting') {
      this._drop('The kernel was restarted.');
      this._setState('connecting');
    } else if (status === 'dead') {
      this._drop('The kernel died.');
      this._setState('no-kernel');
    } else if (
      status === 'idle' &&
      this.wanted &&
      !this._comm &&
      this._state !== 'failed'
    ) {
      void this._connect();
    }
  }

  private async _connect(): Promise<void> {
    const kernel = this._context.session?.kernel;
    if (!kernel || this._isDisposed) {
      this._setState('no-kernel');
      return;
    }
    if (this._connecting === kernel) {
      return;
    }
    this._connecting = kernel;
    this._setState('connecting');
    try {
      await this._open(kernel);
    } catch (error) {
      if (this._connecting === kernel && !this._isDisposed) {
        this._problem = (error as Error).message;
        this._setState('failed');
      }
    } finally {
      if (this._connecting === kernel) {
        this._connecting = null;
      }
    }
  }

  private async _open(kernel: Kernel.IKernelConnection): Promise<void> {
    const info = await kernel.info;
    const language = info.language_info.name;
    if (language !== 'python') {
      throw new KernelProblem(
        `Torchferry reads Python, and this notebook's kernel runs ${language}.`
      );
    }
    await this._execute(kernel, REGISTER);
    const comm = kernel.createComm(TARGET);
    // In ipykernel 7 the comm runs in parallel to the cells, once its subshell is up.
    if (kernel.supportsSubshells && 'subshellStarted' in comm) {
      await (comm as any).subshellStarted;
    }
    if (this._isDisposed || this._context.session?.kernel !== kernel) {
      comm.dispose();
      return;
    }
    comm.onMsg = message => this._onMessage(comm, message);
    comm.onClose = () => this._onClose(comm);
    this._comm = comm;
    comm.open();
    const hello = (await this.request<IHello>('hello')).content;
    if (hello.protocol !== PROTOCOL) {
      this._comm = null;
      comm.dispose();
      throw new KernelProblem(
        `The kernel has another version of Torchferry (${hello.versions.torchferry}) than ` +
          'JupyterLab. Install one version in both environments, then restart the kernel.'
      );
    }
    this._hello = hello;
    this._setState('ready');
  }

  /** Run a statement without a trace in the notebook; rejects with what it raised. */
  private async _execute(
    kernel: Kernel.IKernelConnection,
    code: string
  ): Promise<void> {
    for (;;) {
      const future = kernel.requestExecute({
        code,
        silent: true,
        store_history: false,
        allow_stdin: false,
        stop_on_error: false
      });
      const reply = (await future.done).content;
      if (reply.status === 'ok') {
        return;
      }
      // Aborted: a cell before it failed and took the queue along, so it is tried again.
      if (reply.status === 'error') {
        throw new KernelProblem(describe(reply));
      }
    }
  }

  private _onMessage(
    comm: Kernel.IComm,
    message: KernelMessage.ICommMsgMsg
  ): void {
    const data = message.content.data as any;
    const pending = this._pending.get(data.id);
    if (comm !== this._comm || !pending) {
      return;
    }
    if ('doing' in data) {
      pending.doing?.(data.doing);
      return;
    }
    if ('part' in data) {
      const files = (pending.files[data.file] ??= []);
      files.splice(0, data.begins ? files.length : 0);
      files.push(asBytes(data.part));
      return;
    }
    this._pending.delete(data.id);
    if (data.error) {
      pending.answer.reject(
        new KernelProblem(data.error.message, data.error.traceback)
      );
    } else {
      pending.answer.resolve({ content: data.ok, bytes: pending.files.map(joined) });
    }
  }

  private _onClose(comm: Kernel.IComm): void {
    if (comm === this._comm) {
      this._comm = null;
      this._rejectAll('The kernel closed the connection.');
      this._problem = 'The kernel closed the connection to the panel.';
      this._setState('failed');
    }
  }

  private _drop(reason: string): void {
    this._connecting = null;
    const comm = this._comm;
    this._comm = null;
    this._hello = null;
    if (comm && !comm.isDisposed) {
      // No farewell to a kernel that is gone: the comm went with it.
      comm.onClose = () => undefined;
      comm.dispose();
    }
    this._rejectAll(reason);
  }

  /** Resolves once the kernel has nothing to do, and has not answered a question for a while. */
  private async _silence(id: string): Promise<void> {
    do {
      await new Promise(resolve => setTimeout(resolve, PATIENCE));
    } while (
      this._pending.has(id) &&
      this._context.session?.kernel?.status !== 'idle'
    );
  }

  /** Give up a question, where it has not been answered. */
  private _reject(id: string, reason: string): void {
    this._pending.get(id)?.answer.reject(new KernelProblem(reason));
    this._pending.delete(id);
  }

  private _rejectAll(reason: string): void {
    const pending = [...this._pending.values()];
    this._pending.clear();
    pending.forEach(({ answer }) => answer.reject(new KernelProblem(reason)));
  }

  private _setState(state: LinkState): void {
    if (state !== this._state && !this._isDisposed) {
      this._state = state;
      this._stateChanged.emit(state);
    }
  }

  private _awaited = 0;
  private _comm: Kernel.IComm | null = null;
  private _connecting: Kernel.IKernelConnection | null = null;
  private _hello: IHello | null = null;
  private _isDisposed = false;
  private _pending = new Map<string, IPending>();
  private _problem = '';
  private _state: LinkState = 'no-kernel';
  private _stateChanged = new Signal<this, LinkState>(this);
  private _wanted = false;
}

function describe(reply: KernelMessage.IReplyErrorContent): string {
  if (reply.ename === 'ModuleNotFoundError' && /jupyter_ext/.test(reply.evalue)) {
    return (
      'Torchferry is not installed in the Python of this kernel. Run ' +
      "%pip install 'torchferry[lab]' in a cell, then restart the kernel."
    );
  }
  return `${reply.ename}: ${reply.evalue}`;
}

function asBytes(text: string): Uint8Array {
  return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
}

function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}

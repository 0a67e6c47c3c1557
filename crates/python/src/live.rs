//! A live drive: served until Python says that it is enough, and summed up then.

use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyString;
use wordline_drive::Progress;
use wordline_exceptions::{guarded, of_workload, refused};
use wordline_live::{
    Address, Content, CutAt, Device, Export, LiveError, Look, Pace, ServeOptions, Server, Verdict,
};
use wordline_workload::TraceWriter;

use crate::config::Resolved;
use crate::errors::of_live;
use crate::run::{Output, stoppable};
use crate::stream::Stream;

/// How to serve a drive, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    name: String,
    description: String,
    socket: String,
    control: Option<String>,
    anyone: bool,
    read_only: bool,
    size: Option<u64>,
    data: Option<PathBuf>,
    trace: Option<PathBuf>,
    /// Seconds of the machine in a second of the drive; none at a virtual pace.
    slow: Option<f64>,
    power_cuts: bool,
    keeps_stream: bool,
    cuts: Vec<String>,
    lies_about_flush: bool,
    seed: u64,
}

/// Something that was asked over the control socket and that Python does.
#[pyclass(frozen, eq, module = "wordline._wordline")]
#[derive(PartialEq)]
pub(crate) struct Asked(wordline_live::Asked);

#[pymethods]
impl Asked {
    /// `report` or `save`.
    #[getter]
    fn what(&self) -> &'static str {
        match self.0.request {
            wordline_live::Wanted::Report(_) => "report",
            _ => "save",
        }
    }

    /// The directory or file that it goes to.
    #[getter]
    fn to(&self) -> &str {
        match &self.0.request {
            wordline_live::Wanted::Report(to) | wordline_live::Wanted::Save(to) => to,
            _ => "",
        }
    }
}

/// A drive that is served.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct Live {
    /// Held while it is served: whoever waits for it with the interpreter's lock waits for ever.
    server: Mutex<Option<Server>>,
    /// Where clients come in.
    #[pyo3(get)]
    address: String,
    /// Bytes that are exported.
    #[pyo3(get)]
    size: u64,
    /// Bytes up to which a write is all old or all new after a power cut.
    #[pyo3(get)]
    atomic_write_unit: u64,
}

#[pymethods]
impl Live {
    /// Clients can come in once the drive is aged, which `progress` is told of as by a run; they are heard in `serve`.
    #[new]
    #[pyo3(signature = (resolved, options, progress=None))]
    fn new(
        py: Python<'_>,
        resolved: &Resolved,
        options: Options,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let config = &resolved.inner.config;
        let made = stoppable(py, progress.as_ref(), |look| Ok(server(config, &options, look)))?;
        let (server, size) = made?;
        Ok(Self {
            address: server.address(),
            atomic_write_unit: server.device().atomic_write_unit(),
            server: Mutex::new(Some(server)),
            size,
        })
    }

    /// Serves until `look` returns False: it is called ten times a second with None, where `"status"` as its answer has it called again with the status as JSON, and with what was asked over
    /// the control socket.
    fn serve(&self, py: Python<'_>, look: Py<PyAny>) -> PyResult<()> {
        py.detach(|| {
            guarded(|| {
                let mut failed = None;
                let served = self.with(|server| {
                    server
                        .run(&mut |server, what| {
                            let answer = Python::attach(|py| {
                                py.check_signals()?;
                                call(py, &look, server, what)
                            });
                            match answer {
                                Ok(true) => Verdict::GoOn,
                                Ok(false) => Verdict::End,
                                Err(error) => {
                                    failed = Some(error);
                                    Verdict::End
                                }
                            }
                        })
                        .map_err(|error| of_live(&error))
                });
                failed.map_or(served, Err)
            })
        })
    }

    /// The status as JSON.
    fn status(&self) -> PyResult<String> {
        self.with(|server| Ok(server.status().to_string()))
    }

    /// What was asked, with its data, where that is kept.
    fn take_stream(&self) -> PyResult<Stream> {
        let stream = self.with(|server| Ok(server.device_mut().take_stream()))?;
        stream
            .map(Stream::of)
            .ok_or_else(|| refused("nothing was kept of what was asked"))
    }

    /// The descriptor of whoever asked, for an answer of one line of JSON; none where nobody waits for it any more.
    fn asker(&self, asked: &Asked) -> PyResult<Option<i32>> {
        self.with(|server| Ok(server.asker(&asked.0).map(|fd| fd.as_raw_fd())))
    }

    /// Completes what is under way and sums up, since the power came back last. `save_state` and `save_data` are where the state of the drive and its data go. In a copy of the process (`copied`)
    /// sockets and trace belong to the other one.
    #[pyo3(signature = (save_state = None, save_data = None, copied = false))]
    fn finish(
        &self,
        py: Python<'_>,
        save_state: Option<PathBuf>,
        save_data: Option<PathBuf>,
        copied: bool,
    ) -> PyResult<Output> {
        let output = py.detach(|| {
            let server = self.server.lock().unwrap_or_else(PoisonError::into_inner).take();
            let server = server.ok_or_else(gone)?;
            let device = if copied {
                server.into_copied_device()
            } else {
                server.into_device()
            };
            let (output, content) = device.finish(save_state).map_err(|error| of_live(&error))?;
            if let Some(path) = save_data {
                content
                    .save(&path, self.size)
                    .map_err(|error| of_live(&LiveError::Data(path, error)))?;
            }
            Ok::<_, PyErr>(output)
        })?;
        guarded(|| Output::new(py, output))
    }
}

impl Live {
    fn with<T>(&self, work: impl FnOnce(&mut Server) -> PyResult<T>) -> PyResult<T> {
        let mut server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        work(server.as_mut().ok_or_else(gone)?)
    }
}

fn gone() -> PyErr {
    refused("the drive is not served any more")
}

/// Tells Python of a look; whether the server goes on.
fn call(py: Python<'_>, look: &Py<PyAny>, server: &mut Server, what: Look<'_>) -> PyResult<bool> {
    match what {
        Look::Passing => {
            let answer = look.call1(py, (None::<String>,))?;
            if answer.cast_bound::<PyString>(py).is_ok() {
                // only where it is wanted: it looks at every block
                let status = server.status().to_string();
                return look.call1(py, (status,))?.is_truthy(py);
            }
            answer.is_truthy(py)
        }
        Look::Wanted(asked) => look.call1(py, (Asked(asked.clone()),))?.is_truthy(py),
    }
}

fn server(
    config: &wordline_config::Config,
    options: &Options,
    look: &mut dyn FnMut(Progress) -> bool,
) -> PyResult<(Server, u64)> {
    let failed = |error: LiveError| of_live(&error);
    let (page_bytes, capacity) = Device::sizes(config).map_err(failed)?;
    let size = options.size.unwrap_or(capacity);
    if size == 0 || size > capacity || !size.is_multiple_of(512) {
        return Err(refused(format!(
            "--size {size}: accepted are multiples of 512 up to the {capacity} bytes of the drive"
        )));
    }
    let parse = |text: &str| Address::parse(text, options.anyone).map_err(failed);
    let address = parse(&options.socket)?;
    let control = options.control.as_deref().map(parse).transpose()?;
    let cuts: Vec<CutAt> = options
        .cuts
        .iter()
        .map(|text| text.parse().map_err(failed))
        .collect::<PyResult<_>>()?;
    let content = match &options.data {
        Some(path) => Content::in_file(page_bytes, path, size).map_err(failed)?,
        None => Content::in_memory(page_bytes),
    };
    let power_cuts = options.power_cuts || !cuts.is_empty();
    // paths are absolute in a resolved configuration
    let mut device = Device::watched(config, PathBuf::new(), content, power_cuts, look).map_err(failed)?;
    if let Some(path) = &options.trace {
        device.record(TraceWriter::create(Path::new(path)).map_err(|error| of_workload(&error))?);
    }
    if options.keeps_stream {
        device.keep_stream(size);
    }
    let options = ServeOptions {
        address,
        control,
        export: Export {
            name: options.name.clone(),
            description: options.description.clone(),
            size,
            read_only: options.read_only,
            preferred: u32::try_from(page_bytes)
                .unwrap_or(4_096)
                .next_power_of_two()
                .max(512),
        },
        pace: options.slow.map_or(Pace::Virtual, |slow| Pace::Real { slow }),
        lies_about_flush: options.lies_about_flush,
        cuts,
        seed: options.seed,
    };
    Ok((Server::new(device, options).map_err(failed)?, size))
}

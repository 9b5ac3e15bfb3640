#!/bin/bash
# A run that goes on over as many jobs as it needs: sbatch docs/slurm.sh RUN.json [options of run]
# The jobs that follow have the options of sbatch that stand here, not those on its command line: write yours below.
#SBATCH --job-name=hematite
#SBATCH --time=12:00:00
#SBATCH --nodes=1
#SBATCH --ntasks=4
#SBATCH --gpus=4
# The scheduler's own warning, two minutes ahead, in case the job is cut short: it goes to this script, which hands it on.
#SBATCH --signal=B:USR1@120

# A cancelled job: what Open MPI kills has so many seconds for a checkpoint before, less than half of Slurm's KillWait.
# Jobs that end with another code than 0 take up to twice as long to end: see docs/operations.md.
export OMPI_MCA_odls_base_sigkill_timeout=10

# Ten minutes less than the job has.
mpirun --bind-to none -n "$SLURM_NTASKS" run "$@" --restart --walltime 11:50:00 &
trap 'kill -USR1 $!' USR1
# Handed on as USR1, TERM ends the run with code 3 too.
cancelled=
trap 'cancelled=yes; kill -USR1 $!' TERM
# A signal ends the first wait, not the run.
wait $!
code=$?
while kill -0 $! 2> /dev/null; do
    wait $!
    code=$?
done

# 3: stopped early with a checkpoint. Anything else is the end, or wants to be looked at.
if [ "$code" -eq 3 ] && [ -z "$cancelled" ]; then
    sbatch "$0" "$@"
fi
exit "$code"
